#include "daemon/api/table_facts.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace glimpse {

namespace {

constexpr std::array<std::pair<std::string_view, char>, 5> kDelimiters{
    {{",", ','}, {";", ';'}, {"|", '|'}, {"tab", '\t'}, {"space", ' '}}};

}  // namespace

std::optional<TableFacts> table_facts(const Feed& feed) {
  if (feed.source || !feed.has_first_row) return std::nullopt;
  const ExampleReader* const reader = feed.inner_reader != nullptr ? feed.inner_reader : feed.reader.get();
  const auto delimiter = reader->field_delimiter();
  if (!delimiter) return std::nullopt;
  return TableFacts{*delimiter, feed.header};
}

std::string table_json(const TableFacts& facts) {
  return fmt::format(R"({{"delimiter":"{}","header_line":{}}})", word_of_delimiter(facts.delimiter),
                     facts.header_line > 0 ? fmt::format("{}", facts.header_line) : "null");
}

std::string_view word_of_delimiter(char delimiter) {
  for (const auto& [word, known] : kDelimiters)
    if (known == delimiter) return word;
  return {};
}

std::optional<char> delimiter_of_word(std::string_view word) {
  for (const auto& [known, delimiter] : kDelimiters)
    if (known == word) return delimiter;
  return std::nullopt;
}

}  // namespace glimpse
