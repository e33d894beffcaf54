#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// The safetensors layout, as far as glimpse uses it (one-dimensional tensors of five element types);
/// FORMAT.md has the grammar. Bytes only: nothing here knows what the tensors mean. All functions are pure,
/// except that write_to() writes to its file.

/// The longest header in bytes: what the safetensors library itself accepts.
inline constexpr std::size_t kMaximalHeader = 100'000'000;

/// A named array whose elements, little-endian, somebody else keeps.
struct TensorView {
  std::string name;
  ElementType type = ElementType::kU8;
  std::span<const std::byte> bytes;
};

/// The arrays of a State, valid as long as it is unchanged.
std::vector<TensorView> views_of(const State& state);

/// A file that has been laid out but not copied together: it is `header` followed by the bytes of each
/// tensor.
struct SafetensorsLayout {
  std::string header;               ///< the length, the JSON and its padding; a multiple of 64 bytes
  std::vector<TensorView> tensors;  ///< in the order of the file, with no bytes between them

  /// The size of the file in bytes.
  std::size_t size() const;
  /// Appends the file to `file`; tensors of a page and more go straight from where they lie. Errors: those of
  /// the file.
  Status write_to(WritableFile& file) const;
  /// The whole file in one piece.
  std::string bytes() const;
};

/// Lays out a file. Tensors are put in the order of descending element size, else as given, so that each
/// begins at a multiple of its element size. The views must live as long as the layout is used. Errors:
/// kInvalidInput when two tensors or two texts have the same name, a tensor is called "__metadata__", or a
/// name or text is not UTF-8. kTooLarge when the header would pass the 100 MB that readers of safetensors
/// accept. Cost: O(length of names and texts); no tensor is touched.
Result<SafetensorsLayout> lay_out_safetensors(std::vector<TensorView> tensors,
                                              std::span<const Text> metadata);

/// What a file holds. The views look into the bytes that were decoded, and need not be aligned.
struct SafetensorsContent {
  std::vector<TensorView> tensors;  ///< in the order of the file
  std::vector<Text> metadata;
};

/// Reads a file back, from any writer. Everything is verified: lengths, the JSON (no unknown or double keys),
/// element types, one-dimensional shapes, and that the tensors fill the data without overlap or hole. Errors:
/// kCorrupt. Cost: O(header); no tensor is touched.
Result<SafetensorsContent> decode_safetensors(std::span<const std::byte> bytes);

/// How long the file is whose first bytes, header included, these are, by the header. Errors: kCorrupt. Cost:
/// O(header).
Result<std::uint64_t> described_size(std::span<const std::byte> first);

}  // namespace glimpse
