#pragma once

#include <istream>
#include <memory>
#include <streambuf>
#include <string>

#include "base/result.h"
#include "compression/decompressor.h"

namespace glimpse::ctl {

/// The bytes of a stream, decompressed where gzip or zstd wrote them, which its first bytes show. It ends at
/// the first error; status() then says why. Thread-safety: none. Memory: 128 KiB and Decompressor's.
class UnpackedBuffer final : public std::streambuf {
 public:
  /// `in` must outlive the buffer.
  explicit UnpackedBuffer(std::istream& in) : in_(in) {}

  /// Errors: kSystem when the stream cannot be read; kCorrupt where its packed bytes are unsound or cut
  /// short.
  const Status& status() const { return status_; }

 protected:
  int_type underflow() override;

 private:
  bool read_more();
  std::size_t unpack();

  std::istream& in_;
  Status status_;
  std::unique_ptr<Decompressor> decompressor_;  // nullptr: the bytes are not packed, or not looked at yet
  bool is_decided_ = false;
  bool at_end_ = false;
  bool needs_more_ = false;  // of the input than raw_ has, as the decompressor says
  std::string raw_;
  std::size_t used_ = 0;  // of raw_
  std::string room_;
};

}  // namespace glimpse::ctl
