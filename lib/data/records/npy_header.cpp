#include "data/records/npy_header.h"

#include <cstdint>
#include <fmt/format.h>
#include <optional>

#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostText = std::size_t{64} << 10;

// The length of the text stands behind the version: two bytes in version 1, four in 2 and 3.
std::size_t text_begin(std::string_view bytes) { return bytes[6] == 1 ? 10 : 12; }

std::size_t text_length(std::string_view bytes) {
  std::size_t length = 0;
  for (std::size_t at = text_begin(bytes); at-- > 8;)
    length = length << 8 | static_cast<unsigned char>(bytes[at]);
  return length;
}

std::string_view after_blanks(std::string_view text) {
  while (!text.empty() && (is_blank(text.front()) || text.front() == '\n')) text.remove_prefix(1);
  return text;
}

// What stands behind `'key':`, up to the end of the text.
std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const std::size_t end = at + key.size();
    if (at == 0 || end >= text.size() || text[at - 1] != text[end] || (text[end] != '\'' && text[end] != '"'))
      continue;
    const std::string_view rest = after_blanks(text.substr(end + 1));
    if (rest.starts_with(':')) return after_blanks(rest.substr(1));
  }
  return std::nullopt;
}

std::string_view up_to(std::string_view text, char end) {
  const std::size_t at = text.find(end);
  return at == std::string_view::npos ? text : text.substr(0, at + 1);
}

Error no_array(std::string_view text) {
  return failure(ErrorCode::kInvalidInput, "the .npy header {} does not describe an array", in_quotes(text));
}

struct Shape {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
};

// Of two dimensions.
std::optional<Shape> shape_of(std::string_view shape) {
  if (!shape.starts_with('(') || !shape.ends_with(')')) return std::nullopt;
  shape = shape.substr(1, shape.size() - 2);
  const std::size_t comma = shape.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string_view second = trimmed(shape.substr(comma + 1));
  if (second.ends_with(',')) second = trimmed(second.substr(0, second.size() - 1));
  Shape found;
  if (!read_index(trimmed(shape.substr(0, comma)), found.rows) || !read_index(second, found.columns))
    return std::nullopt;
  return found;
}

}  // namespace

bool begins_npy_header(std::string_view bytes) { return bytes.starts_with(kMagic.substr(0, bytes.size())); }

Result<std::size_t> npy_header_length(std::string_view bytes) {
  if (!begins_npy_header(bytes) || (bytes.size() > 6 && (bytes[6] < 1 || bytes[6] > 3)))
    return failure(ErrorCode::kInvalidInput,
                   "no .npy file of version 1 to 3: it begins with {}; without --format npy it is looked at",
                   in_quotes(bytes.substr(0, 8)));
  if (bytes.size() < 12) return std::size_t{0};
  const std::size_t length = text_length(bytes);
  if (length > kMostText)
    return failure(ErrorCode::kInvalidInput, "the .npy header has {} bytes, more than {}", length, kMostText);
  const std::size_t whole = text_begin(bytes) + length;
  return bytes.size() < whole ? std::size_t{0} : whole;
}

Result<std::size_t> npy_columns(std::string_view header) {
  const std::string_view text = header.substr(text_begin(header));
  const auto shape = value_of(text, "shape");
  if (!shape) return no_array(text);
  const std::string_view dimensions = up_to(*shape, ')');
  const auto found = shape_of(dimensions);
  if (found && found->columns > 1) return found->columns;
  return failure(
      ErrorCode::kInvalidInput,
      "the .npy array has the shape {}; rows of a label and attributes have (rows, 1 + attributes)",
      in_quotes(dimensions));
}

std::uint64_t npy_rows(std::string_view header) {
  const auto shape = value_of(header.substr(text_begin(header)), "shape");
  const auto found = shape ? shape_of(up_to(*shape, ')')) : std::nullopt;
  return found ? found->rows : 0;
}

std::optional<std::uint64_t> npy_rows_bytes(std::string_view header, std::size_t row_bytes) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  const std::uint64_t rows = npy_rows(header);
  const bool is_whole = row_bytes > 0 && row_bytes % sizeof(float) == 0 && rows <= kMost / row_bytes;
  return is_whole && check_npy_header(header, row_bytes / sizeof(float)) ? std::optional(rows * row_bytes)
                                                                         : std::nullopt;
}

Status check_npy_header(std::string_view header, std::size_t columns) {
  const std::string_view text = header.substr(text_begin(header));
  const auto kind = value_of(text, "descr");
  const auto order = value_of(text, "fortran_order");
  const auto shape = value_of(text, "shape");
  if (!kind || !order || !shape || kind->empty()) return no_array(text);
  if (!kind->substr(1).starts_with("<f4") || (kind->front() != '\'' && kind->front() != '"'))
    return failure(ErrorCode::kInvalidInput,
                   "the .npy array is of {}; rows must be of '<f4': save array.astype('<f4')",
                   in_quotes(kind->substr(1, kind->substr(1).find(kind->front()))));
  if (!order->starts_with("False"))
    return failure(ErrorCode::kInvalidInput,
                   "the .npy array lies column by column: save numpy.ascontiguousarray(array)");
  const std::string_view dimensions = up_to(*shape, ')');
  const auto found = shape_of(dimensions);
  if (!found || found->columns != columns)
    return failure(
        ErrorCode::kInvalidInput,
        "the .npy array has the shape {}; a model of dimension {} needs (rows, {}): the label, NaN "
        "to get a prediction, and the attributes",
        in_quotes(dimensions), columns - 1, columns);
  return {};
}

std::string npy_header(std::size_t rows, std::size_t columns) {
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kBefore = 10;  // magic, version and the text's length
  std::string text =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  const std::size_t whole = (kBefore + text.size() + kAlignment) / kAlignment * kAlignment;
  text.resize(whole - kBefore - 1, ' ');
  text += '\n';
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return header + text;
}

}  // namespace glimpse
