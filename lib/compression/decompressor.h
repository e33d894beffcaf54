#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
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

/// Bytes of any source, decompressed where gzip or zstd wrote them, which the first of them show.
/// Thread-safety: none. Memory: 64 KiB, and Decompressor's.
class UnpackedBytes {
 public:
  virtual ~UnpackedBytes() = default;

  /// Bytes into `room`, which is not empty: how many, 0 at the end; nothing where none are there yet. Errors:
  /// those of the source; kCorrupt for data that is compressed and broken, or cut short.
  Result<std::optional<std::size_t>> read(std::span<char> room);
  /// Whether read() may have bytes without those of the source.
  bool has_bytes() const { return is_decided_ && (decompressor_ ? !needs_more_ : used_ < raw_.size()); }
  /// "gzip" or "zstd"; empty: not compressed, or not known before the first bytes.
  std::string_view compression() const { return decompressor_ ? decompressor_->name() : std::string_view(); }

 protected:
  /// `is_plain`: the bytes are not compressed, whatever they look like.
  explicit UnpackedBytes(bool is_plain = false) : is_decided_(is_plain) {}
  UnpackedBytes(UnpackedBytes&&) = default;
  UnpackedBytes& operator=(UnpackedBytes&&) = default;

 private:
  /// As read(), of the source.
  virtual Result<std::optional<std::size_t>> read_raw(std::span<char> room) = 0;
  Result<std::optional<std::size_t>> read_more();
  Result<std::optional<std::size_t>> decompress(std::span<char> room);

  std::string raw_;  // as read, and not given yet from used_ on
  std::size_t used_ = 0;
  bool is_decided_;
  bool needs_more_ = false;  // of the input than raw_ has, as the decompressor says
  std::unique_ptr<Decompressor> decompressor_;
};

}  // namespace glimpse
