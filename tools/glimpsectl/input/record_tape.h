#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <time.h>

#include "base/result.h"
#include "data/records/record_framer.h"

namespace glimpse::ctl {

/// The bytes of a file or a pipe by their offset, so that what was read can be read again. Of a pipe the
/// bytes that were not forgotten are kept in memory. Thread-safety: none.
class ByteTape {
 public:
  /// `name`: a file, or "-" for standard input. Errors: kSystem.
  static Result<ByteTape> open(const std::string& name);
  ByteTape(ByteTape&& other) noexcept;
  ByteTape& operator=(ByteTape&&) = delete;
  ~ByteTape();

  /// Fills `bytes` from `offset` on, and returns how many there are: fewer at the end, and in a pipe as many
  /// as have come, at least one. Waits for them. Errors: kSystem; kUnavailable for what was forgotten.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes);

  /// Nothing before `offset` will be read again.
  void forget(std::uint64_t offset);

  /// Whether read_at(offset) would wait for a producer; poll() descriptor() then.
  bool waits(std::uint64_t offset) const;
  bool is_file() const { return is_file_; }
  int descriptor() const { return descriptor_; }
  /// Whether a file was written to since it was opened, or has another name now; false for a pipe.
  bool was_touched() const;

 private:
  ByteTape(int descriptor, bool is_file, std::string name)
      : descriptor_(descriptor), is_file_(is_file), name_(std::move(name)) {}
  Error unreadable() const;

  int descriptor_;
  bool is_file_;
  off_t size_ = 0;       // of a file, when it was opened
  timespec written_{};   // likewise
  bool at_end_ = false;  // of a pipe
  std::string name_;
  std::string kept_;  // of a pipe, from kept_from_ on
  std::uint64_t kept_from_ = 0;
};

/// The records of a file or pipe as glimpsed counts them: lines, or rows of singles, behind numpy's header
/// for npy, which is the first record. Any that was not forgotten can be gone back to. A last line without
/// newline gets one. Thread-safety: none.
class RecordTape {
 public:
  /// `format`: f32 (rows of `dimension` + 1 singles), npy, or any other: lines.
  RecordTape(ByteTape bytes, std::string format, std::size_t dimension);

  /// Whole records, of about kPiece bytes; `bytes` are valid until the next call of any kind.
  struct Piece {
    std::string_view bytes;
    std::uint64_t records = 0;
  };
  static constexpr std::size_t kPiece = std::size_t{256} << 10;
  static constexpr std::size_t kMostRecord = std::size_t{1} << 30;

  /// The next records; none at the end. Errors: kSystem; kTooLarge for a record beyond kMostRecord;
  /// kInvalidInput for a header that is none, a file that ends amid a row, or lines that gzip or zstd packed.
  Result<Piece> next();
  /// Of rows, as soon as the header of npy was read; 0: records are lines.
  std::size_t row_bytes() const { return row_bytes_; }
  /// The last line had no newline: what a file that grows has there later is not seen any more.
  bool has_ended_line() const { return has_ended_line_; }
  /// Whether the first record, once it and the next were read, is a header: numpy's, or names of columns, as
  /// CSV may have.
  bool has_header() const { return has_header_; }
  /// How many of the first `records` are no header.
  std::uint64_t without_header(std::uint64_t records) const {
    return records - (has_header_ && records > 0 ? 1 : 0);
  }
  /// Records before the next.
  std::uint64_t position() const { return at_.records; }
  /// At the end: an Error where the header of an npy array says another number of rows.
  Status check_end() const;
  /// What stands for all of them (contents_with()).
  std::uint64_t contents() const { return at_.contents; }
  /// ByteTape's.
  bool was_touched() const { return bytes_.was_touched(); }

  /// Goes behind record `records`. Errors: as next(); kInvalidInput when there are not so many.
  Status seek(std::uint64_t records);
  /// Nothing before record `records` will be gone back to: a pipe's memory of it is freed. Errors: as next().
  Status forget(std::uint64_t records);

  /// ByteTape's, at this place.
  bool waits() const { return bytes_.waits(at_.offset); }
  bool is_file() const { return bytes_.is_file(); }
  /// Bytes before the next record that a pipe's memory holds: whole records alone, so that what is kept is
  /// what was given out. 0 for a file.
  std::uint64_t kept_bytes() const { return is_file() ? 0 : at_.offset - floor_.offset; }
  int descriptor() const { return bytes_.descriptor(); }

 private:
  struct Place {
    std::uint64_t records = 0;
    std::uint64_t offset = 0;
    std::uint64_t contents = 0;
  };
  Framing framing() const;
  Result<std::size_t> whole_records(bool at_end);
  void look_for_header(std::string_view bytes, bool at_end);
  Status walk(Place& place, std::uint64_t records);

  ByteTape bytes_;
  const std::string format_;
  std::size_t row_bytes_;              // 0: lines; npy: 0 until the header was read
  std::optional<std::uint64_t> rows_;  // that the header of npy says, once it was read
  bool has_ended_line_ = false;
  bool has_header_ = false;
  bool is_header_known_ = false;
  std::string beginning_;  // what was read until it is
  Place at_;
  Place floor_;  // behind what was forgotten
  std::string buffer_;
};

/// Cuts whole records into messages of a topic, each of whole records: what glimpsed reads back from a topic
/// as the same records. Thread-safety: none.
class RecordMessages {
 public:
  /// `row_bytes`: of a row; 0: records are lines. `as_npy`: each message is an array of numpy's. A message
  /// has at most `most` bytes, or one record; >= 1, without numpy's header.
  RecordMessages(std::size_t row_bytes, bool as_npy, std::size_t most)
      : row_bytes_(row_bytes), as_npy_(as_npy), most_(most) {}

  /// Takes the next message's records off `records`, which are whole and not empty. Of lines the last newline
  /// is left out, so that a message of one line is that line. Valid until the next call, as long as `records`
  /// are.
  std::string_view take(std::string_view& records);

 private:
  std::size_t row_bytes_;
  bool as_npy_;
  std::size_t most_;
  std::string array_;
};

}  // namespace glimpse::ctl
