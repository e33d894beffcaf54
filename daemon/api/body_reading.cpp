#include "daemon/api/body_reading.h"

#include "data/text/text.h"

namespace glimpse {

namespace {

Result<Format> body_format(const HttpRequest& request) {
  const std::string name = query_value(request.query, "format");
  if (!name.empty() && name != "json") return parse_format(name);
  const std::string_view body = trimmed(request.body);
  const Format seems = detect_format(body.substr(0, body.find('\n')));
  if (name.empty() && seems != Format::kNdjson && seems != Format::kAuto)
    return failure(
        ErrorCode::kInvalidInput,
        "the body is no JSON object or array; it begins as {} does: say so with ?format={}, or with "
        "another of svmlight, vw, csv, f32 and npy",
        name_of(seems), name_of(seems));
  return Format::kNdjson;
}

}  // namespace

Result<BodyReading> body_reading(const HttpRequest& request) {
  BodyReading reading;
  const auto format = body_format(request);
  if (!format) return format.error();
  reading.format = *format;
  if (has_key(request.query, "absent")) {
    const auto absent = parse_absent(query_value(request.query, "absent"));
    if (!absent) return absent.error();
    reading.absent = *absent;
  }
  return reading;
}

}  // namespace glimpse
