#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glimpse {

/// A column as an ARFF header declares it.
struct ArffAttribute {
  enum class Type : std::uint8_t { kNumber, kWord, kDate };

  std::string name;
  Type type = Type::kNumber;
  bool is_day_first = false;  ///< of kDate: its format has the day in front of the month
  std::string zero = "0";     ///< what a sparse row has where it does not give the attribute
};

/// The header of Weka's attribute-relation file format: lines of @relation, @attribute and @data, with
/// keywords in any case, and comments behind %.
class ArffHeader {
 public:
  /// Whether a line is one of a header, and no row.
  static bool is_line(std::string_view line);
  /// Whether a text begins with a header, perhaps behind comments.
  static bool begins(std::string_view text);
  /// That of a text that begins with one, with all of its lines up to @data. Errors (kInvalidInput) name the
  /// line.
  static Result<ArffHeader> read(std::string_view text);

  /// Takes its next line; @relation begins another. Errors (kInvalidInput): a type that is not read; no
  /// attribute in front of @data.
  Status take(std::string_view line);
  /// @data has come.
  bool is_whole() const { return is_whole_; }
  const std::vector<ArffAttribute>& attributes() const { return attributes_; }

 private:
  std::vector<ArffAttribute> attributes_;
  bool is_whole_ = false;
};

/// Divides a row of as many attributes as `zeros`: values with commas between (or blanks, where these divide
/// it into as many), in single or double quotes or none, with \ in front of what is text in quotes; or
/// {index value, …} with indices from 0, where what is not given is that of `zeros`. `fields` are views into
/// `line`, `zeros` and `room`. Errors (kInvalidInput) leave the line as one field.
Status split_arff_row(std::string_view line, const std::vector<std::string>& zeros, std::string& room,
                      std::vector<std::string_view>& fields);

}  // namespace glimpse
