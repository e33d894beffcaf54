#include "compression/decompressor.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <zlib.h>
#include <zstd.h>

namespace glimpse {

namespace {

constexpr std::string_view kGzip("\x1f\x8b\x08", 3);
constexpr std::string_view kZstd("\x28\xb5\x2f\xfd", 4);

class Gzip final : public Decompressor {
 public:
  Gzip() { is_ready_ = inflateInit2(&stream_, 15 + 16) == Z_OK; }  // 16: with gzip's header and checksum
  ~Gzip() override { inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  std::string_view name() const override { return "gzip"; }
  bool is_whole() const override { return is_whole_; }

  Result<Step> advance(std::string_view input, std::span<char> room) override {
    if (!is_ready_) return failure(ErrorCode::kUnavailable, "not enough memory to decompress");
    // gzip itself passes over zeros behind its data, which tapes and archives fill their blocks with.
    if (is_whole_)
      if (const std::size_t zeros = std::min(input.find_first_not_of('\0'), input.size());
          zeros > 0 || input.empty())
        return Step{zeros, 0, false};
    if (is_whole_) inflateReset(&stream_);
    is_whole_ = false;
    constexpr std::size_t kMost = std::size_t{1} << 30;
    const auto given = static_cast<uInt>(std::min(input.size(), kMost));
    const auto space = static_cast<uInt>(std::min(room.size(), kMost));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = given;
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = space;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      return failure(ErrorCode::kCorrupt, "is no sound gzip data: {}",
                     stream_.msg != nullptr ? stream_.msg : "unknown");
    is_whole_ = code == Z_STREAM_END;
    return Step{given - stream_.avail_in, space - stream_.avail_out, false};
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
  bool is_whole_ = false;
};

class Zstd final : public Decompressor {
 public:
  explicit Zstd(std::size_t most_window) : stream_(ZSTD_createDStream()) {
    if (stream_ != nullptr)
      ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, std::countr_zero(most_window));
  }
  ~Zstd() override { ZSTD_freeDStream(stream_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  std::string_view name() const override { return "zstd"; }
  bool is_whole() const override { return is_whole_; }

  Result<Step> advance(std::string_view input, std::span<char> room) override {
    if (stream_ == nullptr) return failure(ErrorCode::kUnavailable, "not enough memory to decompress");
    if (is_whole_ && input.empty()) return Step{0, 0, false};
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    const std::size_t left = ZSTD_decompressStream(stream_, &out, &in);
    if (ZSTD_isError(left) != 0)
      return failure(ErrorCode::kCorrupt, "is no sound zstd data: {}", ZSTD_getErrorName(left));
    is_whole_ = left == 0;
    return Step{in.pos, out.pos, false};
  }

 private:
  ZSTD_DStream* stream_;
  bool is_whole_ = false;
};

}  // namespace

Result<Decompressor::Step> Decompressor::decompress(std::string_view input, std::span<char> room) {
  auto step = advance(input, room);
  if (step)
    step->needs_input = (step->consumed == 0 && step->produced == 0) ||
                        (step->consumed == input.size() && (step->produced < room.size() || is_whole()));
  return step;
}

std::unique_ptr<Decompressor> Decompressor::for_bytes(std::string_view beginning, std::size_t most_window) {
  if (beginning.starts_with(kGzip)) return std::make_unique<Gzip>();
  if (beginning.starts_with(kZstd)) return std::make_unique<Zstd>(most_window);
  return nullptr;
}

// Into raw_, behind what is there.
Result<std::optional<std::size_t>> UnpackedBytes::read_more() {
  constexpr std::size_t kRawBytes = std::size_t{64} << 10;
  raw_.erase(0, std::exchange(used_, 0));
  const std::size_t size = raw_.size();
  raw_.resize(size + kRawBytes);
  const auto count = read_raw({raw_.data() + size, kRawBytes});
  raw_.resize(size + (count && *count ? **count : 0));
  return count;
}

Result<std::optional<std::size_t>> UnpackedBytes::read(std::span<char> room) {
  while (!is_decided_) {
    const auto count = read_more();
    if (!count || !*count) return count;
    is_decided_ = **count == 0 || raw_.size() >= Decompressor::kMagicBytes;
    if (is_decided_) decompressor_ = Decompressor::for_bytes(raw_);
  }
  if (decompressor_) return decompress(room);
  if (used_ == raw_.size()) return read_raw(room);
  const std::size_t count = std::min(room.size(), raw_.size() - used_);
  std::memcpy(room.data(), raw_.data() + used_, count);
  used_ += count;
  if (used_ == raw_.size()) {
    raw_ = std::string();
    used_ = 0;
  }
  return std::optional(count);
}

Result<std::optional<std::size_t>> UnpackedBytes::decompress(std::span<char> room) {
  for (;;) {
    if (needs_more_) {
      const auto count = read_more();
      if (!count || !*count) return count;
      if (**count == 0 && !decompressor_->is_whole())
        return failure(ErrorCode::kCorrupt, "ends amid its {} data: it is cut short", decompressor_->name());
      if (**count == 0) return count;
    }
    GLIMPSE_TRY_ASSIGN(const auto step,
                       decompressor_->decompress(std::string_view(raw_).substr(used_), room));
    used_ += step.consumed;
    needs_more_ = step.needs_input;
    if (step.produced > 0) return std::optional(step.produced);
  }
}

}  // namespace glimpse
