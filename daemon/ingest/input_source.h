#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/result.h"
#include "compression/decompressor.h"
#include "daemon/feeds/block.h"
#include "data/table_schema.h"

namespace glimpse {

/// The bytes that a descriptor gives. Its errors are kSystem.
class ByteStream final : public UnpackedBytes {
 public:
  /// Reads on from where the descriptor stands.
  explicit ByteStream(int descriptor) : descriptor_(descriptor) {}
  /// Of a regular file: reads from its beginning, or, where it is not compressed, from a byte on, and leaves
  /// the descriptor where it stands.
  static ByteStream from_beginning(int descriptor, std::uint64_t plain_from = 0) {
    return {descriptor, plain_from};
  }

 private:
  ByteStream(int descriptor, std::uint64_t offset)
      : UnpackedBytes(offset > 0), descriptor_(descriptor), offset_(offset) {}
  Result<std::optional<std::size_t>> read_raw(std::span<char> room) override;

  int descriptor_;
  std::optional<std::uint64_t> offset_;  // from_beginning()
};

/// Standard input, a file or a FIFO that was opened: what it is, and where reading begins. Owns the
/// descriptor. Thread-safety: none.
class InputSource {
 public:
  /// `path` "-": standard input. Errors (kSystem) name the path.
  static Result<std::unique_ptr<InputSource>> open(const std::string& path);
  ~InputSource();
  InputSource(const InputSource&) = delete;
  InputSource& operator=(const InputSource&) = delete;

  int descriptor() const { return descriptor_; }
  /// As it was given; "stdin" for standard input.
  const std::string& name() const { return name_; }
  bool is_standard() const { return is_standard_; }
  /// A regular file: the same bytes whenever it is read.
  bool is_regular() const { return S_ISREG(status_.st_mode); }
  /// A regular file whose bytes are read as they are, and may be mapped: it is not compressed.
  bool is_plain() const { return is_regular() && !is_compressed_; }
  /// Under which name a position in it can be kept: a regular file's canonical path; empty for others.
  const std::string& address() const { return address_; }
  bool is_addressable() const { return !address_.empty(); }
  /// Whether both are one file, or one FIFO, by whatever names.
  bool is_same_as(const InputSource& other) const;

  /// Bytes from where reading stands into `room`: how many, 0 at the end; nothing where none are there yet.
  /// Errors: kSystem,
  /// kCorrupt.
  Result<std::optional<std::size_t>> read(std::span<char> room);
  /// Bytes lie ready that read() gives at once.
  bool has_ahead() const { return !ahead_.empty() || stream_.has_bytes(); }
  /// Shows how the input begins, and waits for more until `enough` says so: of the bytes so far, and whether
  /// they are all. They are read all the same. Before read() and resume(). Errors: kSystem, of `enough`, and
  /// kInvalidInput where `most` bytes are not enough.
  using Enough = std::function<Result<bool>(std::string_view bytes, bool is_whole)>;
  Status look_ahead(std::size_t most, const Enough& enough);

  /// How it ends. `waits_for_line_end`: a last line without newline is left where the input is a file, or
  /// comes again. `reads_on`: a FIFO is read from its next writers.
  /// `comes_again`: standard input has a name, and may be given again.
  void set_ends(bool waits_for_line_end, bool reads_on, bool comes_again) {
    comes_again_ = is_addressable() || (is_standard_ && comes_again);
    waits_for_line_end_ = waits_for_line_end && comes_again_;
    reads_on_ = reads_on && S_ISFIFO(status_.st_mode) && !is_standard_;
  }
  bool comes_again() const { return comes_again_; }
  bool waits_for_line_end() const { return waits_for_line_end_; }
  bool reads_on() const { return reads_on_; }
  /// At the end: whether it goes on with the next writers.
  bool read_on();
  /// What was read of the descriptor and not given by read() yet is dropped.
  void drop_ahead();
  /// Whether a regular file has become shorter than it was when it was opened, or than what was read of it.
  bool was_cut_short() const;
  /// Whether a regular file was written to since it was opened: it is as long as before, or what stands
  /// before `position` is not what was `read` (of a plain file that was given by name). Cost: 8 KiB are read.
  bool was_rewritten(std::uint64_t position, const Fingerprint& read) const;
  /// Nothing is read any more: who writes to it is to notice.
  void close();
  /// `size` bytes of a regular file from `position` of what read() gives. Errors: kSystem, kCorrupt.
  Result<std::string> read_at(std::uint64_t position, std::size_t size) const;

  /// "gzip" or "zstd", once bytes were read; else empty.
  std::string_view compression() const { return stream_.compression(); }

  /// Goes to feed.position, of the bytes that read() gives. Where the last line was read before it ended, the
  /// position moves behind the rest of that line. Errors: kMismatch: `now` takes the records otherwise than
  /// feed.schema did; kCorrupt: the bytes before the position are not those that were read there, so that it
  /// is another file, which must not be read from the middle; kSystem. `is_allowed`: the rest may be read
  /// otherwise than what was read before.
  Status resume(Feed& feed, const TableSchema& now, bool is_allowed = false);
  static constexpr std::size_t kMostHeader = std::size_t{80} << 10;  // of an array
  /// The array of an npy input that position > 0 lies in, or at the end of.
  struct Array {
    std::string header;
    std::uint64_t rows = 0;                           ///< of it and of those before it
    std::optional<std::uint64_t> end = std::nullopt;  ///< where its rows end; none: it is not of such rows
  };
  /// Errors: as read_at(); kInvalidInput where there is no such array.
  Result<Array> array_at(std::uint64_t position, std::size_t row_bytes) const;
  /// Of an addressable input: gives the reader of `feed` the first records before feed.position, so that it
  /// reads on from there as one that began at the beginning. Returns the format that the first record shows;
  /// kAuto: none does, or it is no text.
  Format show_beginning(Feed& feed) const;
  /// Gives the bytes that read() gives from `begin` up to `end` as read() does, which it leaves alone. This
  /// outlives it. Cost: compressed bytes before `begin` are read as well.
  using Reading = std::function<Result<std::optional<std::size_t>>(std::span<char> room)>;
  Reading read_again(std::uint64_t begin, std::uint64_t end) const;
  /// Of an addressable input, whose bytes from `position` on were read: they belong to what is compared when
  /// the input is resumed, where nothing between is missing and it begins before `limit`. Returns that much.
  InputBeginning note_read(std::uint64_t position, std::string_view bytes, std::uint64_t limit = kCompared);
  static constexpr std::uint64_t kCompared = std::uint64_t{64} << 20;  // takes 7 ms
  /// Whether the bytes before `position` have this fingerprint; false for what is no plain file.
  bool was_read(std::uint64_t position, std::uint64_t fingerprint) const;

 private:
  InputSource(int descriptor, std::string name)
      : descriptor_(descriptor), name_(std::move(name)), stream_(descriptor) {}
  Error refuse(const std::string& why, ErrorCode code = ErrorCode::kSystem) const;
  Result<Fingerprint> fingerprint_at(std::uint64_t position, std::string& last) const;
  Status pass_over_rest(Feed& feed);
  Result<bool> begins_as(const Feed& feed);
  Status skip_to(std::uint64_t position);
  bool wait_readable(int milliseconds) const;

  int descriptor_;  // -1: closed
  const std::string name_;
  bool is_standard_ = false;  // input
  bool comes_again_ = false;
  bool waits_for_line_end_ = false;
  bool reads_on_ = false;
  std::string address_;
  struct stat status_{};
  bool is_compressed_ = false;  // and a regular file
  ByteStream stream_;
  std::string ahead_;           // read by look_ahead(), and not by read()
  std::size_t ahead_used_ = 0;  // of them by read()
  InputBeginning beginning_;    // of which hash_ is the state
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> hash_{XXH3_createState(), &XXH3_freeState};
};

}  // namespace glimpse
