#pragma once

#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "data/records/example_reader.h"
#include "data/records/table_layout.h"

namespace glimpse {

/// What the tests of the readers share: short ways to ask one question of a reader, and to make the records
/// of the tests.

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Equal, where missing equals missing.
inline bool same(double a, double b) { return a == b || (a != a && b != b); }

inline TableOptions csv_table(std::size_t label_column, char delimiter) {
  TableOptions options;
  options.label.number = label_column;
  options.delimiter = delimiter;
  return options;
}

inline void require_open(ExampleReader& reader, std::string_view record) {
  const auto status = reader.open(record);
  REQUIRE_MESSAGE(status.has_value(), status.error().message);
}

/// The message of a Status that must be an Error of kInvalidInput in one line.
inline std::string complaint(const Status& status) {
  REQUIRE(status.has_error());
  CHECK(status.error().code == ErrorCode::kInvalidInput);
  CHECK(status.error().message.find('\n') == std::string::npos);
  return status.error().message;
}

inline std::string open_error(ExampleReader& reader, std::string_view record) {
  const std::string message = complaint(reader.open(record));
  CHECK_FALSE(reader.has_example());
  return message;
}

inline std::string reveal_error(ExampleReader& reader, std::string_view record,
                                std::vector<Attribute> attributes) {
  require_open(reader, record);
  std::vector<double> values(attributes.size());
  return complaint(reader.reveal(attributes, values));
}

inline std::string reveal_all_error(ExampleReader& reader, std::string_view record) {
  require_open(reader, record);
  std::vector<Entry> entries;
  return complaint(reader.reveal_all(entries));
}

inline std::vector<double> reveal(ExampleReader& reader, std::string_view record,
                                  std::vector<Attribute> attributes) {
  require_open(reader, record);
  REQUIRE(reader.has_example());
  std::vector<double> values(attributes.size(), -77);
  const auto status = reader.reveal(attributes, values);
  REQUIRE_MESSAGE(status.has_value(), status.error().message);
  return values;
}

inline std::vector<Entry> reveal_all(ExampleReader& reader, std::string_view record) {
  require_open(reader, record);
  REQUIRE(reader.has_example());
  std::vector<Entry> entries{{99, 99}};
  const auto status = reader.reveal_all(entries);
  REQUIRE_MESSAGE(status.has_value(), status.error().message);
  return entries;
}

inline bool holds_nothing(ExampleReader& reader, std::string_view record) {
  require_open(reader, record);
  return !reader.has_example();
}

/// A row of format f32.
inline std::string f32_row(const std::vector<float>& numbers) {
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
}

inline bool operator==(const Entry& a, const Entry& b) {
  return a.attribute == b.attribute && same(a.value, b.value);
}

}  // namespace glimpse
