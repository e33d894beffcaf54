#include "daemon/api/body_reading.h"

#include <limits>
#include <string>

#include "data/records/table_layout.h"
#include "data/text/number.h"
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

Result<HeaderChoice> header_choice(const std::string& word) {
  if (word == "yes") return HeaderChoice::kYes;
  if (word == "no") return HeaderChoice::kNo;
  if (word == "auto") return HeaderChoice::kAuto;
  return failure(ErrorCode::kInvalidOption, "header {} must be yes, no or auto", quoted(word));
}

// What says how rows are divided.
Status read_table(const HttpRequest& request, BodyReading& reading) {
  if (has_key(request.query, "header")) {
    GLIMPSE_TRY_ASSIGN(reading.header, header_choice(query_value(request.query, "header")));
  }
  if (has_key(request.query, "delimiter")) {
    const std::string word = query_value(request.query, "delimiter");
    reading.delimiter = delimiter_of_word(word);
    if (!reading.delimiter)
      return failure(ErrorCode::kInvalidOption, "delimiter {} must be ',', ';', '|', tab or space",
                     quoted(word));
  }
  if (reading.says_table() && reading.format != Format::kCsv && reading.format != Format::kAuto)
    return failure(ErrorCode::kInvalidOption, "{} is for tables (format=csv), and the format is {}",
                   reading.header ? "header" : "delimiter", name_of(reading.format));
  return {};
}

Status read_first_line(const HttpRequest& request, BodyReading& reading) {
  if (!has_key(request.query, "first_line")) return {};
  const std::string text = query_value(request.query, "first_line");
  // No body has so many lines that their numbers overflow.
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / 2;
  if (!read_index(text, reading.first_line) || reading.first_line < 1 || reading.first_line > kMost)
    return failure(ErrorCode::kInvalidOption, "first_line {} must be a whole number from 1 to {}",
                   quoted(text), kMost);
  return {};
}

}  // namespace

Result<BodyReading> body_reading(const HttpRequest& request) {
  BodyReading reading;
  GLIMPSE_TRY_ASSIGN(reading.format, body_format(request));
  if (has_key(request.query, "absent")) {
    GLIMPSE_TRY_ASSIGN(reading.absent, parse_absent(query_value(request.query, "absent")));
  }
  GLIMPSE_TRY(read_table(request, reading));
  GLIMPSE_TRY(read_first_line(request, reading));
  return reading;
}

}  // namespace glimpse
