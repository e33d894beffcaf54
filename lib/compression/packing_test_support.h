#pragma once

#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>
#include <zlib.h>
#include <zstd.h>

namespace glimpse {

/// What gzip makes of `text`.
inline std::string gzip_of(std::string_view text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string bytes(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

/// What zstd makes of it.
inline std::string zstd_of(std::string_view text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 3));
  return bytes;
}

/// Byte streams that all unpack to `text`: of one part, of two with an empty one between them or at the end,
/// and with zeros behind gzip.
inline std::vector<std::string> packings_of(std::string_view text) {
  const std::string_view first = text.substr(0, text.size() / 2);
  const std::string_view second = text.substr(first.size());
  return {gzip_of(text),
          zstd_of(text),
          gzip_of(first) + gzip_of("") + gzip_of(second),
          zstd_of(first) + zstd_of("") + zstd_of(second),
          gzip_of("") + gzip_of(text) + gzip_of(""),
          zstd_of("") + zstd_of(text) + zstd_of(""),
          gzip_of(text) + std::string(1000, '\0'),
          gzip_of(first) + std::string(9, '\0') + gzip_of(second)};
}

}  // namespace glimpse
