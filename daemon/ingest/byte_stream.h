#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "compression/decompressor.h"

namespace glimpse {

/// The bytes that a descriptor gives, decompressed where gzip or zstd wrote them. Thread-safety: none.
class ByteStream {
 public:
  /// Reads on from where the descriptor stands.
  explicit ByteStream(int descriptor) : descriptor_(descriptor) {}
  /// Of a regular file: reads from its beginning, or, where it is not compressed, from a byte on, and leaves
  /// the descriptor where it stands.
  static ByteStream from_beginning(int descriptor, std::uint64_t plain_from = 0);

  /// Bytes into `room`, which is not empty: how many, 0 at the end; nothing where none are there yet. Errors:
  /// kSystem; kCorrupt for data that is compressed and broken, or cut short.
  Result<std::optional<std::size_t>> read(std::span<char> room);
  /// Whether read() may have bytes without reading from the descriptor.
  bool has_bytes() const { return is_decided_ && (decompressor_ ? !needs_more_ : used_ < raw_.size()); }
  /// "gzip" or "zstd"; empty: not compressed, or not known before the first bytes.
  std::string_view compression() const { return decompressor_ ? decompressor_->name() : std::string_view(); }

 private:
  Result<std::optional<std::size_t>> read_raw(std::span<char> room);
  Result<std::optional<std::size_t>> read_more();
  Result<std::optional<std::size_t>> decompress(std::span<char> room);

  int descriptor_;
  std::optional<std::uint64_t> offset_;  // from_beginning()
  std::string raw_;                      // as read, and not given yet from used_ on
  std::size_t used_ = 0;
  bool is_decided_ = false;
  bool needs_more_ = false;  // of the input than raw_ has, as the decompressor says
  std::unique_ptr<Decompressor> decompressor_;
};

}  // namespace glimpse
