#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "daemon/http/http_types.h"
#include "data/formats.h"

namespace glimpse {

/// How the examples in the body of a request are read.
struct BodyReading {
  Format format = Format::kNdjson;
  std::optional<Absent> absent = {};        ///< nothing: as --absent says
  std::optional<HeaderChoice> header = {};  ///< nothing: as --header says
  std::optional<char> delimiter = {};       ///< nothing: as --delimiter says
  /// The number of its first line in the file that it is a piece of. Beyond 1, and without a header, its
  /// first bytes are not the beginning of a file.
  std::uint64_t first_line = 1;

  /// Whether its first row is to be read as somebody knows it to be: a piece of a larger table.
  bool says_table() const { return header.has_value() || delimiter.has_value(); }
};

/// Of ?format=, else JSON, and of ?absent=, ?header=, ?delimiter= and ?first_line=. Errors: kInvalidOption;
/// kInvalidInput for a body that is no JSON where no format was given.
Result<BodyReading> body_reading(const HttpRequest& request);

}  // namespace glimpse
