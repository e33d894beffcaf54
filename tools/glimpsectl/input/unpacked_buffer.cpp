#include "glimpsectl/input/unpacked_buffer.h"

#include <cstddef>

namespace glimpse::ctl {

namespace {
constexpr std::size_t kPiece = std::size_t{64} << 10;
}

// Into raw_, of which all is used. False: nothing more comes.
bool UnpackedBuffer::read_more() {
  if (at_end_) return false;
  const std::size_t kept = raw_.size() - used_;
  raw_.erase(0, used_);
  used_ = 0;
  raw_.resize(kept + kPiece);
  in_.read(raw_.data() + kept, static_cast<std::streamsize>(kPiece));
  const auto count = static_cast<std::size_t>(in_.gcount());
  raw_.resize(kept + count);
  at_end_ = !in_;
  if (in_.bad() || (in_.fail() && !in_.eof()))
    status_ = failure(ErrorCode::kSystem, "the input cannot be read");
  return count > 0 && !status_.has_error();
}

// Into room_; 0: at the end, or at an error.
std::size_t UnpackedBuffer::unpack() {
  for (;;) {
    if (needs_more_ && !read_more()) {
      if (status_ && !decompressor_->is_whole())
        status_ =
            failure(ErrorCode::kCorrupt, "ends amid its {} data: it is cut short", decompressor_->name());
      return 0;
    }
    const auto step = decompressor_->decompress(std::string_view(raw_).substr(used_), room_);
    if (!step) {
      status_ = step.error();
      return 0;
    }
    used_ += step->consumed;
    needs_more_ = step->needs_input;
    if (step->produced > 0) return step->produced;
  }
}

UnpackedBuffer::int_type UnpackedBuffer::underflow() {
  if (!status_) return traits_type::eof();
  if (!is_decided_) {
    read_more();
    is_decided_ = true;
    decompressor_ = Decompressor::for_bytes(raw_);
    if (decompressor_) room_.resize(kPiece);
  }
  if (decompressor_) {
    const std::size_t count = unpack();
    setg(room_.data(), room_.data(), room_.data() + count);
  } else {
    if (used_ == raw_.size()) read_more();
    setg(raw_.data() + used_, raw_.data() + used_, raw_.data() + raw_.size());
    used_ = raw_.size();
  }
  return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
}

}  // namespace glimpse::ctl
