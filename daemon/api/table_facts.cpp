#include "daemon/api/table_facts.h"

#include <fmt/format.h>

#include "data/records/table_layout.h"

namespace glimpse {

std::optional<TableFacts> table_facts(const Feed& feed) {
  if (feed.source || !feed.has_first_row) return std::nullopt;
  const ExampleReader* const reader = feed.inner_reader != nullptr ? feed.inner_reader : feed.reader.get();
  const auto delimiter = reader->field_delimiter();
  if (!delimiter) return std::nullopt;
  return TableFacts{*delimiter, feed.header};
}

std::string table_json(const TableFacts& facts) {
  return fmt::format(R"({{"delimiter":"{}","header_line":{}}})",
                     word_of_delimiter(facts.delimiter).value_or(""),
                     facts.header_line > 0 ? fmt::format("{}", facts.header_line) : "null");
}

}  // namespace glimpse
