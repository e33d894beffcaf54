#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "data/formats.h"

namespace glimpse {

/// A stream of examples to time whole programs on.
struct StreamOptions {
  std::string kind = "dense";   ///< see stream_kinds()
  std::size_t dimension = 500;  ///< ≥ 1
  std::size_t examples = 1000;
  Format format = Format::kCsv;
};

/// For messages: "dense, pictures or sparse".
///
///   dense     every attribute a number of six decimals from −1 to 1
///   pictures  as MNIST's: one attribute in five is not 0, each a multiple of 1/256, in runs
///   sparse    100 attributes of all, each a number of three decimals; VW text and svmlight alone
///
/// Labels are a hidden linear model's, of weights that fall with the attribute, with a tenth of noise.
const char* stream_kinds();

/// Writes the stream to standard output. The same for the same options but the format, and a shorter stream
/// is the beginning of a longer one.
Status write_stream(const StreamOptions& options);

}  // namespace glimpse
