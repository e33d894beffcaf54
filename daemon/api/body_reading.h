#pragma once

#include <optional>

#include "base/result.h"
#include "daemon/http/http_types.h"
#include "data/formats.h"

namespace glimpse {

/// How the examples in the body of a request are read.
struct BodyReading {
  Format format = Format::kNdjson;
  std::optional<Absent> absent;  ///< nothing: as --absent says
};

/// Of ?format=, else JSON, and ?absent=. Errors: kInvalidOption; kInvalidInput for a body that is no JSON
/// where no format was given.
Result<BodyReading> body_reading(const HttpRequest& request);

}  // namespace glimpse
