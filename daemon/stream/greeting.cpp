#include "daemon/stream/greeting.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/numbers.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

Error wrong(const std::string& why) {
  return failure(ErrorCode::kInvalidInput, "greeting #glimpse: {}", why);
}

Status take_source(std::string_view value, Greeting& greeting) {
  if (Status status = check_source_name("greeting #glimpse: source", value); !status) return status;
  greeting.source = value;
  return {};
}

Result<std::uint64_t> number_of(std::string_view key, std::string_view value, std::string_view unit) {
  const auto number = whole_text_as<std::uint64_t>(value);
  if (!number) return wrong(fmt::format("{} {} must be a whole number of {}", key, in_quotes(value), unit));
  return *number;
}

Status take_from(std::string_view value, Greeting& greeting) {
  GLIMPSE_TRY_ASSIGN(greeting.from, number_of("from", value, "records"));
  return {};
}

Status take_memory(std::string_view value, Greeting& greeting) {
  GLIMPSE_TRY_ASSIGN(greeting.memory, number_of("memory", value, "bytes"));
  return {};
}

Status take_contents(std::string_view value, Greeting& greeting) {
  if (value != "1") return wrong(fmt::format("contents {} must be 1", in_quotes(value)));
  greeting.asks_contents = true;
  return {};
}

Status take_token(std::string_view value, Greeting& greeting) {
  greeting.token = std::string(value);
  return {};
}

// What is said on a stream door, as SOURCES.md has it. Another one would be another protocol.
Status take_version(std::string_view value, Greeting& /*greeting*/) {
  constexpr std::string_view kVersion = "1";
  if (value == kVersion) return {};
  return wrong(fmt::format("version {}: this daemon speaks version {} alone", in_quotes(value), kVersion));
}

struct Key {
  std::string_view name;
  Status (*take)(std::string_view value, Greeting& greeting);
};
constexpr std::array<Key, 6> kKeys{{{"version", take_version},
                                    {"token", take_token},
                                    {"source", take_source},
                                    {"from", take_from},
                                    {"memory", take_memory},
                                    {"contents", take_contents}}};
constexpr std::string_view kNames = "the keys are version, token, source, from, memory and contents";

// No line of any format begins so.
constexpr std::array<std::string_view, 8> kRequests{"GET /",   "POST /",   "PUT /",     "HEAD /",
                                                    "PATCH /", "DELETE /", "OPTIONS /", "OPTIONS *"};

constexpr std::string_view kWord = "#glimpse";

bool is_end(char c) { return static_cast<unsigned char>(c) <= ' '; }

// Whether `line` may begin with the word of a greeting, perhaps in capitals, and with what ends it, or a key
// right behind it.
bool may_greet(std::string_view line) {
  const std::string_view word = line.substr(0, kWord.size());
  const auto is_same = [](char c, char of_word) {
    return c == of_word || (c >= 'A' && c == of_word - 'a' + 'A');
  };
  if (!std::equal(word.begin(), word.end(), kWord.begin(), is_same)) return false;
  const std::string_view rest = line.substr(word.size());
  return rest.empty() || is_end(rest.front()) || std::ranges::any_of(kKeys, [&](const Key& key) {
           const std::string with_sign = std::string(key.name) + '=';
           return rest.starts_with(with_sign) || with_sign.starts_with(rest);
         });
}

// What is nearly a greeting is not to be taken for a comment: what follows would be learned without the name
// that was meant.
std::optional<Error> check_beginning(std::string_view bytes, std::string_view line) {
  if (bytes.starts_with(Greeting::kBeginning)) return std::nullopt;
  if (line.size() < bytes.size()) return wrong("no byte order mark may stand before it");
  if (line[kWord.size()] != ' ') return wrong("a blank must follow the word");
  return wrong("the word must be in small letters");
}

Result<Greeting> parse(std::string_view fields) {
  Greeting greeting;
  std::vector<std::string_view> seen;
  while (!fields.empty()) {
    const std::string_view field = fields.substr(0, fields.find(' '));
    fields.remove_prefix(std::min(field.size() + 1, fields.size()));
    if (field.empty()) continue;
    const std::size_t sign = field.find('=');
    // What stands there may be a token, which no log may show.
    if (sign == std::string_view::npos) return wrong("every word must be KEY=VALUE");
    const std::string_view name = field.substr(0, sign);
    const auto* const key =
        std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& known) { return known.name == name; });
    if (key == kKeys.end()) return wrong(fmt::format("{} is not a key; {}", in_quotes(name), kNames));
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      return wrong(fmt::format("'{}' must be given once only", name));
    seen.push_back(name);
    if (const Status status = key->take(field.substr(sign + 1), greeting); !status) return status.error();
  }
  if (seen.empty()) return wrong(fmt::format("says nothing; {}", kNames));
  if (greeting.source.empty() && greeting.from) return wrong("from is without source=NAME");
  if (greeting.source.empty() && greeting.memory) return wrong("memory is without source=NAME");
  if (greeting.source.empty() && greeting.asks_contents) return wrong("contents is without source=NAME");
  return greeting;
}

}  // namespace

Result<GreetingScan> scan_greeting(std::string_view bytes) {
  GreetingScan scan;
  for (const std::string_view request : kRequests) {
    if (bytes.starts_with(request)) {
      scan.kind = GreetingScan::Kind::kHttp;
      return scan;
    }
    if (!bytes.empty() && request.starts_with(bytes)) scan.kind = GreetingScan::Kind::kUnfinished;
  }
  const std::string_view line = without_mark(bytes);
  const bool is_begun_mark = std::string_view("\xef\xbb\xbf").starts_with(bytes);
  if (!is_begun_mark && !may_greet(line)) return scan;
  scan.kind = GreetingScan::Kind::kUnfinished;
  const bool is_certain =
      line.size() > kWord.size() && (is_end(line[kWord.size()]) || line.find('=') != line.npos);
  if (!is_certain) return scan;
  if (auto fault = check_beginning(bytes, line)) return *fault;
  const std::size_t end = bytes.substr(0, Greeting::kMostBytes).find('\n');
  if (end == std::string_view::npos) {
    if (bytes.size() < Greeting::kMostBytes) return scan;
    return wrong(fmt::format("the line is longer than {} bytes", Greeting::kMostBytes));
  }
  std::string_view fields = bytes.substr(Greeting::kBeginning.size(), end - Greeting::kBeginning.size());
  if (fields.ends_with('\r')) fields.remove_suffix(1);
  GLIMPSE_TRY_ASSIGN(auto greeting, parse(fields));
  scan.kind = GreetingScan::Kind::kWhole;
  scan.length = end + 1;
  scan.greeting = std::move(greeting);
  return scan;
}

}  // namespace glimpse
