#include "glimpsectl/option_readers.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <utility>
#include <vector>

#include "base/secret_file.h"
#include "data/table_options.h"
#include "json/json_arrays.h"

namespace glimpse::ctl {

namespace {

// "a,b,c" without the commas. Errors: an empty one.
Result<std::vector<std::string>> parse_list(std::string_view option, const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end == begin) return invalid_option(option, text, "must be a list such as A,B,C");
    items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

Status read_address(const std::string& text, std::string_view option, CommandLine& line) {
  GLIMPSE_TRY_ASSIGN(auto address, parse_server_address(text, option));
  address.token = line.server.token;
  address.authorities = line.server.authorities;
  line.server = std::move(address);
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

Status read_checkpoint(const std::string& text, CommandLine& line) {
  return read_checkpoint_name("--checkpoint", text, line);
}

Status read_server(const std::string& text, CommandLine& line) {
  return read_address(text, "--server", line);
}

Status read_stream_door(const std::string& text, CommandLine& line) {
  GLIMPSE_TRY(read_address(text, "--to", line));
  if (!line.server.is_url) return {};
  return invalid_option(
      "to", text,
      "must be tcp:HOST:PORT, tls:HOST:PORT or unix:PATH: a stream door (--listen) does not "
      "speak HTTP");
}

Status read_destination(const std::string& text, CommandLine& line) {
  if (!text.starts_with("kafka://")) return read_stream_door(text, line);
  line.topic = text;
  return {};
}

Status read_token(const std::string& path, CommandLine& line) {
  GLIMPSE_TRY(check_secret_file("token-file", path));
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return invalid_option("token-file", path, "cannot be read, or is empty");
  if ((word == "read" || word == "learn" || word == "write") && !(file >> word)) word.clear();
  const auto is_odd = [](char c) { return c <= ' ' || c > '~'; };
  if (word.empty() || word.front() == '#' || std::any_of(word.begin(), word.end(), is_odd))
    return invalid_option("token-file", path, "must begin with a token of printable characters");
  line.server.token = word;
  return {};
}

Status read_keep(const std::string& text, CommandLine& line) {
  line.keep = names_between_commas(text);
  if (std::ranges::count(line.keep, "") == 0) return {};
  return invalid_option("keep", text, "must be a list such as A,B,C");
}

Status read_available(const std::string& text, CommandLine& line) {
  GLIMPSE_TRY_ASSIGN(line.plan.available, parse_list("available", text));
  return {};
}

// "age=3,sex=M"; the value stands behind the last '=': a number, else a category.
Status read_known(const std::string& text, CommandLine& line) {
  GLIMPSE_TRY_ASSIGN(const auto items, parse_list("known", text));
  for (const std::string& item : items) {
    const std::size_t equals = item.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == item.size())
      return invalid_option("known", item, "must be ATTRIBUTE=VALUE, as in age=3,sex=M");
    const std::string word = item.substr(equals + 1);
    const auto value = parse_json_number(word);
    line.plan.known.push_back({item.substr(0, equals), value ? *value : 0, value ? std::string() : word});
  }
  return {};
}

}  // namespace glimpse::ctl
