#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace glimpse {

/// A set of labelled grey-scale pictures of one size, as in the two IDX files of MNIST.
struct LabelledImages {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::uint8_t> pixels;  ///< picture after picture, row by row; 0 is background
  std::vector<std::uint8_t> labels;  ///< one a picture

  std::size_t size() const { return labels.size(); }
  std::size_t dimension() const { return rows * columns; }
  /// The pixels of picture `i`.
  std::span<const std::uint8_t> image(std::size_t i) const {
    return std::span(pixels).subspan(i * dimension(), dimension());
  }
};

/// Reads an IDX3 file of pictures and an IDX1 file of their labels: a big-endian magic number (2051, 2049),
/// the sizes, and plain bytes. Errors (kCorrupt) say what is wrong with which of the two: a wrong magic
/// number, a file cut short or with bytes to spare, or a different number of labels than of pictures.
Result<LabelledImages> parse_idx(std::span<const std::byte> images, std::span<const std::byte> labels);

/// The same from "DIRECTORY/SET-images-idx3-ubyte" and "…-labels-idx1-ubyte", `set` being "train" or "t10k".
/// Errors name the file.
Result<LabelledImages> read_mnist(FileSystem& files, const std::string& directory, const std::string& set);

/// One picture of a binary problem.
struct PairExample {
  std::uint32_t image;
  std::int8_t label;  ///< −1 or +1
};

/// The pictures of two digits, in the order of the file: those of `negative` with label −1, of `positive`
/// with +1.
std::vector<PairExample> select_pair(const LabelledImages& images, std::uint8_t negative,
                                     std::uint8_t positive);

}  // namespace glimpse
