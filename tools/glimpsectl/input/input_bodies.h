#pragma once

#include <fstream>
#include <istream>
#include <optional>
#include <string>

#include "base/result.h"
#include "glimpsectl/input/console.h"
#include "glimpsectl/input/line_chunks.h"
#include "glimpsectl/input/unpacked_buffer.h"

namespace glimpse::ctl {

/// A file, or the console's input, as bodies of requests: pieces of whole lines, or one JSON array in one
/// piece, as only lines can be cut. What gzip or zstd packed is unpacked, as only so it has lines.
/// Thread-safety: none; the console must outlive it.
class InputBodies {
 public:
  /// `name`: of a file; "-" is the console's input. `size`: of bodies of lines.
  InputBodies(const std::string& name, Console& console, std::size_t size = LineChunks::kDefaultSize);

  /// Whether it is one JSON array. To be asked first. Errors: as next().
  Result<bool> is_array();

  /// The next body; nothing at the end. One of lines holds at least one that is neither blank nor a comment,
  /// and the first of them two, where there are so many: a header alone is no example. Errors: kSystem when
  /// it cannot be opened or read, kCorrupt where its packed bytes are unsound.
  Result<std::optional<LineChunks::Chunk>> next();

  /// `bytes` will stand before each further body. Bodies get so much smaller, at most down to `bytes`.
  void make_room(std::size_t bytes);

 private:
  Status trouble() const;
  void pass_over_mark();
  Result<std::optional<LineChunks::Chunk>> next_lines();

  const std::string name_;
  const std::size_t size_;
  std::ifstream file_;
  UnpackedBuffer buffer_;
  std::istream in_;
  LineChunks chunks_;
  bool is_array_ = false;
  bool is_first_ = true;
};

}  // namespace glimpse::ctl
