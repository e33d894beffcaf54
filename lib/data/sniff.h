#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "data/formats.h"
#include "data/sniff_table.h"
#include "data/text/encoding.h"

namespace glimpse {

/// How much of an input is its sample: it ends with the first that comes, or with the input.
struct SampleLimits {
  std::size_t bytes = std::size_t{1} << 20;
  std::size_t records = 10000;
  bool ends_with_any = false;  ///< of a pipe: with its first record, as each is answered
};

/// What the sample of an input shows of all of it.
struct Sniffed {
  Format format = Format::kCsv;
  Encoding encoding = Encoding::kUtf8;
  std::size_t mark = 0;  ///< bytes of the byte order mark
  SniffedTable table;    ///< of kCsv, with the encoding as well
};

/// Decides how an input is read, from its beginning alone; `is_whole`: and it ends there. `format` and
/// `hints` are what somebody says of it. Errors (kInvalidInput): the bytes are of a file that is no text,
/// with what to do.
Result<Sniffed> sniff(std::string_view sample, bool is_whole, Format format, const TableHints& hints);

/// The format alone that the sample shows. Cost: 100 lines.
Format sniff_format(std::string_view sample);

/// What options say of a table.
TableHints hints_of(const TableOptions& options);

/// The sample of an input with this beginning, where that is long enough; else empty. It is the same whatever
/// stands behind it, and ends with a line, unless none ends before the limit.
std::string_view sample_of(std::string_view beginning, const SampleLimits& limits);

}  // namespace glimpse
