#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>

#include "base/result.h"

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

}  // namespace glimpse::ctl
