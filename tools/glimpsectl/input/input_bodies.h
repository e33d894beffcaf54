#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>

#include "base/result.h"
#include "compression/decompressor.h"
#include "glimpsectl/input/console.h"

namespace glimpse::ctl {

/// Cuts a stream into pieces of whole lines that fit into one request each. A line that is longer than a
/// piece becomes one of its own. Memory: about two pieces, or the longest line. Thread-safety: none; the
/// stream must outlive it.
class LineChunks {
 public:
  /// Below the 1 MB that servers commonly allow a body, and far beyond the size where the cost of a request
  /// shows.
  static constexpr std::size_t kDefaultSize = 1'000'000;

  explicit LineChunks(std::istream& in, std::size_t size = kDefaultSize) : in_(in), size_(size) {}

  /// Of pieces to come; above 0.
  void set_size(std::size_t size) { size_ = size; }

  /// A piece of the stream, and how many lines stand before it.
  struct Chunk {
    std::string text;
    std::uint64_t lines_before = 0;  ///< in the whole stream
  };

  /// The next piece; nothing at the end. Errors: kSystem when the stream cannot be read.
  Result<std::optional<Chunk>> next();

 private:
  std::istream& in_;
  std::size_t size_;
  std::string held_;  // read, not yet handed out
  std::uint64_t lines_ = 0;
};

/// The bytes of a stream. It ends at the first error; status() then says why.
class UnpackedBuffer final : public std::streambuf, private UnpackedBytes {
 public:
  /// `in` must outlive the buffer.
  explicit UnpackedBuffer(std::istream& in) : in_(in) {}

  /// Errors: those of UnpackedBytes; kSystem when the stream cannot be read.
  const Status& status() const { return status_; }
  /// Of `in`, packed or not.
  std::uint64_t bytes_read() const { return bytes_read_; }

 protected:
  int_type underflow() override;

 private:
  Result<std::optional<std::size_t>> read_raw(std::span<char> room) override;

  std::istream& in_;
  std::uint64_t bytes_read_ = 0;
  Status status_;
  std::string room_;
};

/// Lines of `text` that hold a record or a table's header: neither blank nor a comment. At most `most`.
std::size_t count_records(std::string_view text, std::size_t most = static_cast<std::size_t>(-1));

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

  /// Of the file, packed or not.
  std::uint64_t bytes_read() const { return buffer_.bytes_read(); }

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
