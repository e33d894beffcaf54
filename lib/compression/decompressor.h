#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"

namespace glimpse {

/// Decompresses a stream that gzip or zstd wrote, piece by piece; several, one behind the other, are one
/// stream. Thread-safety: none. Memory: 40 KiB for gzip; for zstd what its writer chose, up to kMostWindow.
class Decompressor {
 public:
  static constexpr std::size_t kMostWindow = std::size_t{128} << 20;  ///< bytes
  /// So many bytes tell for_bytes() all.
  static constexpr std::size_t kMagicBytes = 4;

  /// How far one call came, in bytes.
  struct Step {
    std::size_t consumed;  ///< of the input
    std::size_t produced;
    bool needs_input;  ///< nothing more comes without more input: its end is an error unless is_whole()
  };

  /// For a stream that begins with `beginning`, by its magic bytes; nullptr: it is not compressed.
  /// `most_window`: of zstd, a power of two; what wants more is an error.
  static std::unique_ptr<Decompressor> for_bytes(std::string_view beginning,
                                                 std::size_t most_window = kMostWindow);

  virtual ~Decompressor() = default;
  /// "gzip" or "zstd".
  virtual std::string_view name() const = 0;
  /// As much of `input` as fits into `room`, which is not empty. Errors: kCorrupt; kUnavailable without
  /// memory.
  Result<Step> decompress(std::string_view input, std::span<char> room);
  /// Whether the stream may end here: all that was begun is whole.
  virtual bool is_whole() const = 0;

 private:
  /// decompress() without Step::needs_input.
  virtual Result<Step> advance(std::string_view input, std::span<char> room) = 0;
};

}  // namespace glimpse
