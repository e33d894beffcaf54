#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse {

/// The header that numpy.save() writes before the numbers of an array ("NEP 1: a simple file format for NumPy
/// arrays"). It is eight bytes of magic and version, the length of a text, and the text, which describes the
/// array.

/// Whether `bytes`, not empty, begin as such a header does, as far as they go.
bool begins_npy_header(std::string_view bytes);

/// Whole bytes of the header that `bytes` begins with; 0 while not enough of it has come to tell. An Error
/// (kInvalidInput) when it is none, or longer than 64 KiB.
Result<std::size_t> npy_header_length(std::string_view bytes);

/// The columns of the array of rows that a whole header describes. Errors: kInvalidInput, where it describes
/// no array of two dimensions, with two columns at least.
Result<std::size_t> npy_columns(std::string_view header);

/// The rows of the array that a whole header describes, where check_npy_header() accepts it.
std::uint64_t npy_rows(std::string_view header);

/// Bytes behind a whole header that describes rows of `row_bytes`; none: it describes others, or no file has
/// as many.
std::optional<std::uint64_t> npy_rows_bytes(std::string_view header, std::size_t row_bytes);

/// Whether a whole header describes rows of `columns` little-endian IEEE singles, one row after another; an
/// Error (kInvalidInput) says what it describes, and what to do.
Status check_npy_header(std::string_view header, std::size_t columns);

/// The header of an array of `rows` rows of `columns` such singles, in version 1 and a multiple of 64 bytes
/// long, as numpy.save() writes it.
std::string npy_header(std::size_t rows, std::size_t columns);

}  // namespace glimpse
