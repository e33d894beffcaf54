#include "glimpsectl/option_readers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <limits>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/secret_file.h"
#include "base/units.h"
#include "glimpsectl/format/units.h"
#include "json/json_arrays.h"

namespace glimpse::ctl {

namespace {

// What `read(value, line)` does with a value.
template <class Read>
Place place(Read read) {
  Place type;
  type.read = [=](CommandLine& line, std::string_view, const std::string& value) -> Status {
    return read(value, line);
  };
  return type;
}

template <class Number>
Place count_of(const char* name, Number CommandLine::* member) {
  return place([=](const std::string& value, CommandLine& line) -> Status {
    GLIMPSE_TRY_ASSIGN(line.*member, parse_count(std::string("--") + name, value));
    return {};
  });
}

template <class Duration>
Place duration_of(const char* name, Duration CommandLine::* member) {
  return place([=](const std::string& value, CommandLine& line) -> Status {
    const auto duration = parse_duration(value);
    if (!duration) return refused(fmt::format("--{} '{}' {}", name, value, duration.error().message));
    if (duration->count() == 0) return refused(fmt::format("--{} '{}' must be above 0", name, value));
    line.*member = *duration;
    return {};
  });
}

// "a,b,c" without the commas. Errors: an empty one.
Result<std::vector<std::string>> parse_list(std::string_view what, const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end == begin) return refused(fmt::format("{} '{}' must be a list such as A,B,C", what, text));
    items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

// "age=3,sex=M"; the value stands behind the last '=': a number, else a category.
Status read_known(const std::string& text, CommandLine& line) {
  GLIMPSE_TRY_ASSIGN(const auto items, parse_list("--known", text));
  for (const std::string& item : items) {
    const std::size_t equals = item.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == item.size())
      return refused(fmt::format("--known '{}' must be ATTRIBUTE=VALUE, as in age=3,sex=M", item));
    const std::string text = item.substr(equals + 1);
    const auto value = parse_json_number(text);
    line.plan.known.push_back({item.substr(0, equals), value ? *value : 0, value ? std::string() : text});
  }
  return {};
}

Status read_token(const std::string& path, CommandLine& line) {
  GLIMPSE_TRY(check_secret_file("token-file", path));
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return refused(fmt::format("--token-file '{}' cannot be read, or is empty", path));
  if ((word == "read" || word == "learn" || word == "write") && !(file >> word)) word.clear();
  const auto is_odd = [](char c) { return c <= ' ' || c > '~'; };
  if (word.empty() || word.front() == '#' || std::any_of(word.begin(), word.end(), is_odd))
    return refused(fmt::format("--token-file '{}' must begin with a token of printable characters", path));
  line.server.token = word;
  return {};
}

}  // namespace

Error refused(std::string message) { return Error{ErrorCode::kInvalidOption, std::move(message)}; }

Status read_checkpoint_name(const std::string& called, const std::string& text, CommandLine& line) {
  const auto is_odd = [](unsigned char c) {
    return std::isalnum(c) == 0 && c != '-' && c != '.' && c != '_';
  };
  if (text.empty() || std::ranges::any_of(text, is_odd))
    return refused(fmt::format(
        "{} '{}' must be a checkpoint's name without a folder, or the examples that it has (glimpsectl "
        "checkpoints lists both)",
        called, text));
  line.checkpoint = text;
  return {};
}

Place checkpoint_option() {
  return place([](const std::string& value, CommandLine& line) {
    return read_checkpoint_name("--checkpoint", value, line);
  });
}

Place duration_option(const char* name, std::chrono::milliseconds CommandLine::* member) {
  return duration_of(name, member);
}

Place duration_option(const char* name, std::optional<std::chrono::milliseconds> CommandLine::* member) {
  return duration_of(name, member);
}

Place count_option(const char* name, std::size_t CommandLine::* member) { return count_of(name, member); }
Place count_option(const char* name, std::optional<std::uint64_t> CommandLine::* member) {
  return count_of(name, member);
}

Place size_option(const char* name, std::uint64_t CommandLine::* member) {
  return place([=](const std::string& value, CommandLine& line) -> Status {
    const auto bytes = parse_bytes(value);
    if (!bytes) return refused(fmt::format("--{} '{}' {}", name, value, bytes.error().message));
    line.*member = *bytes;
    return {};
  });
}

Place text_option(std::string CommandLine::* member) {
  return place([=](const std::string& value, CommandLine& line) -> Status {
    line.*member = value;
    return {};
  });
}

Place texts_option(std::vector<std::string> CommandLine::* member) {
  Place type = place([=](const std::string& value, CommandLine& line) -> Status {
    (line.*member).push_back(value);
    return {};
  });
  type.is_repeated = true;
  return type;
}

// From 0, as Kafka counts them.
Place partition_option() {
  return place([](const std::string& value, CommandLine& line) -> Status {
    const auto number = whole_text_as<std::uint32_t>(value);
    if (!number || *number > std::numeric_limits<std::int32_t>::max())
      return refused(fmt::format("--partition '{}' must be a whole number from 0", value));
    line.partition = *number;
    return {};
  });
}

Place file_option(const char* name, std::string CommandLine::* member) {
  return place([=](const std::string& value, CommandLine& line) -> Status {
    if (value.empty()) return refused(fmt::format("--{} '' must be a file or -", name));
    line.*member = value;
    return {};
  });
}

Place flag_option(bool CommandLine::* member) {
  Place type = place([=](const std::string&, CommandLine& line) -> Status {
    line.*member = true;
    return {};
  });
  type.is_flag = true;
  return type;
}

Place format_option(std::initializer_list<const char*> words) {
  const std::vector<std::string> known(words.begin(), words.end());
  Place type = place([=](const std::string& value, CommandLine& line) -> Status {
    line.format = value;
    if (value.empty() || std::find(known.begin(), known.end(), value) != known.end()) return {};
    std::string list;
    for (const std::string& word : known)
      list += (list.empty() ? "" : word == known.back() ? " or " : ", ") + word;
    return refused(fmt::format("--format '{}' must be {}", value, list));
  });
  return with_choices(std::move(type), known);
}

Place address_option(const char* name, bool is_stream) {
  return place([=](const std::string& value, CommandLine& line) -> Status {
    GLIMPSE_TRY_ASSIGN(auto address, parse_server_address(value, std::string("--") + name));
    if (is_stream && address.is_url)
      return refused(
          fmt::format("--{} '{}' must be tcp:HOST:PORT, tls:HOST:PORT or unix:PATH: a stream door (--listen) "
                      "does not speak HTTP",
                      name, value));
    address.token = line.server.token;
    address.authorities = line.server.authorities;
    line.server = std::move(address);
    return {};
  });
}

Place destination_option() {
  const Place address = address_option("to", true);
  return place([=](const std::string& value, CommandLine& line) -> Status {
    if (!value.starts_with("kafka://")) return address.read(line, "to", value);
    line.topic = value;
    return {};
  });
}

Place authorities_option() {
  return place([](const std::string& value, CommandLine& line) -> Status {
    if (value.empty()) return refused("--ca '' must be a file");
    line.server.authorities = value;
    return {};
  });
}

Place token_file_option() { return place(read_token); }

Place available_option() {
  return place([](const std::string& value, CommandLine& line) -> Status {
    GLIMPSE_TRY_ASSIGN(line.plan.available, parse_list("--available", value));
    return {};
  });
}

Place known_option() { return place(read_known); }

Place purpose_option() {
  return place([](const std::string& value, CommandLine& line) -> Status {
    if (value != "prediction") return refused(fmt::format("--for '{}' must be prediction", value));
    line.plan.for_prediction = true;
    return {};
  });
}

Place predict_option() {
  return place([](const std::string& value, CommandLine& line) -> Status {
    if (value != "label" && value != "probabilities" && value != "scores")
      return refused(fmt::format("--predict '{}' must be label, probabilities or scores", value));
    line.predict = value;
    return {};
  });
}

Place plotted_option() {
  return place([](const std::string& value, CommandLine& line) -> Status {
    if (value != "auto" && value != "r2" && value != "loss" && value != "rmse" && value != "wrong")
      return refused(fmt::format("--of '{}' must be auto, r2, loss, rmse or wrong", value));
    line.plotted = value;
    return {};
  });
}

Place ttl_option() {
  return place([](const std::string& value, CommandLine& line) -> Status {
    line.plan.ttl = value;
    return {};
  });
}

}  // namespace glimpse::ctl
