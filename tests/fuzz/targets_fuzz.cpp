// What follows '?' in the target of a request, decoded as a walk over its parts does; as the question for a
// history it is refused with a message, or its columns are different ones.

#include <set>
#include <string>

#include "daemon/bodies/history_body.h"
#include "daemon/http/http_types.h"
#include "fuzzing.h"

namespace glimpse::targets_fuzz {

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const bool escape = text.size() > 2 && text[0] == '%' && hex(text[1]) >= 0 && hex(text[2]) >= 0;
    plain += escape ? static_cast<char>(hex(text[1]) * 16 + hex(text[2])) : text[0] == '+' ? ' ' : text[0];
    text.remove_prefix(escape ? 3 : 1);
  }
  return plain;
}

std::string expected_value(std::string_view query, std::string_view key) {
  for (Input parts(reinterpret_cast<const std::uint8_t*>(query.data()), query.size()); !parts.empty();) {
    const std::string_view part = parts.up_to('&');
    if (part.starts_with(key) && part.substr(key.size()).starts_with('='))
      return decoded(part.substr(key.size() + 1));
  }
  return {};
}

// What decodes to `text`.
std::string encoded(std::string_view text) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string query;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    query += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return query;
}

const Fuzzer fuzzer("targets", [](Input input) {
  const std::string query(input.rest());
  for (const char* const key : {"format", "fresh", "after", "limit", "durable"})
    require(query_value(query, key) == expected_value(query, key));
  const std::string rest = without_key(query, "fresh");
  require(!has_key(rest, "fresh"));
  for (const char* const key : {"format", "after"}) {
    require(query_value(rest, key) == query_value(query, key));
    require(has_key(rest, key) == has_key(query, key));
  }
  if (const auto asked = read_history_query(query)) {
    const std::set<std::size_t> columns(asked->columns.begin(), asked->columns.end());
    require(columns.size() == asked->columns.size());
    require(columns.empty() || *columns.rbegin() < history_columns().size());
  } else {
    require(!asked.error().message.empty());
  }
  require(query_value("a=1&format=" + encoded(query) + "&format=2", "format") == query);
});

}  // namespace glimpse::targets_fuzz
