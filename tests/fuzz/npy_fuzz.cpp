// The header that numpy.save writes: its length does not depend on how much of the stream has come; one that
// numpy would write of such an array is taken, of another kind, order or shape refused.

#include <fmt/format.h>
#include <string>

#include "data/records/npy_header.h"
#include "fuzzing.h"

namespace glimpse::npy_fuzz {

void check_any(std::string_view text, std::size_t columns) {
  const Exact all(text);
  const auto length = npy_header_length(all.view());
  if (length) require(*length <= text.size());
  for (std::size_t size = 0; size < std::min<std::size_t>(text.size(), 40); ++size) {
    const Exact part(text.substr(0, size));
    const auto early = npy_header_length(part.view());
    if (!early) require(!length && !early.error().message.empty());
    if (early && *early > 0) require(length && *length == *early);
  }
  if (!length || *length == 0) return;
  const Exact header(text.substr(0, *length));
  const Status status = check_npy_header(header.view(), columns);
  if (!status) require(!status.error().message.empty());
}

// As numpy's format.py writes it.
std::string written(std::string_view kind, bool by_columns, std::string_view shape, std::uint8_t version) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", kind,
                                 by_columns ? "True" : "False", shape);
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string header = "\x93NUMPY";
  header += static_cast<char>(version);
  header += '\0';
  for (std::size_t i = 0; i < before - 8; ++i) header += static_cast<char>(text.size() >> 8 * i);
  return header + text;
}

void check_written(Input& input) {
  static constexpr const char* kKinds[] = {"<f4", "<f8", ">f4", "<i4", "|u1", "<f2"};
  const std::uint8_t kind = input.byte() % 6;
  const bool by_columns = input.byte() % 4 == 3;
  const auto version = static_cast<std::uint8_t>(1 + input.byte() % 3);
  const auto rows = input.number<std::uint32_t>();
  const auto width = input.number<std::uint16_t>();
  const std::size_t columns = input.byte() % 4 == 0 ? std::size_t{1} + width : width;
  if (columns == 0) return;
  const bool flat = input.byte() % 4 == 3;
  const std::string header =
      written(kKinds[kind], by_columns, flat ? fmt::format("{},", rows) : fmt::format("{}, {}", rows, width),
              version);
  const auto length = npy_header_length(header);
  require(length && *length == header.size());
  require(check_npy_header(header, columns).has_value() ==
          (kind == 0 && !by_columns && !flat && width == columns));
}

const Fuzzer fuzzer("npy", [](Input input) {
  const std::uint8_t choice = input.byte();
  if (choice % 4 == 0) {
    check_written(input);
  } else {
    check_any(input.rest(), 1 + choice / 4);
  }
});

}  // namespace glimpse::npy_fuzz
