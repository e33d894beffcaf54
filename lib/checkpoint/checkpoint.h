#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// The format that this build writes and reads. A change of meaning takes the next number; FORMAT.md lists
/// them.
inline constexpr std::uint64_t kCheckpointFormat = 1;

/// Writes a State as a checkpoint: a safetensors file with a checksum of its every byte (FORMAT.md). Neither
/// syncs nor closes. Errors: those of the file; kTooLarge when names and texts pass 100 MB; kInvalidInput
/// when two texts have the same name, an array is called "__metadata__", or a name or text is not UTF-8.
/// Other bytes belong into a U8 array. Thread-safety: `state` is only read. Cost: arrays are read twice
/// (checksum, write) and not copied.
Status write_checkpoint(WritableFile& file, const State& state);

/// The same file in memory.
Result<std::string> encode_checkpoint(const State& state);

/// Reads a checkpoint back: the arrays and texts are those that were written, to the bit; the order of arrays
/// may differ. Errors: kCorrupt for whatever is not, byte by byte, what write_checkpoint once wrote;
/// kMismatch when it is sound but has another format number than kCheckpointFormat. Thread-safety: a pure
/// function. Cost: O(bytes), one copy of the arrays.
Result<State> decode_checkpoint(std::span<const std::byte> bytes);

/// The checksum that a sound checkpoint names: no two that are not the same have it. 0 where there is none.
std::uint64_t checksum_of(std::span<const std::byte> checkpoint);

/// The format number that a file's first bytes name, before anything is verified; 0: they name none. An Error
/// (kCorrupt) when they are not those of any checkpoint. 100 bytes are enough.
Result<std::uint64_t> checkpoint_format(std::span<const std::byte> first);

/// What decode_checkpoint() says of a sound checkpoint of `format`.
Error mismatch_of_format(std::uint64_t format);

/// Verifies the checksum of a file, whose bytes are added piece by piece, the first piece with at least 100
/// of them where there are so many. Thread-safety: none.
class CheckpointVerifier {
 public:
  CheckpointVerifier();
  ~CheckpointVerifier();
  void add(std::span<const std::byte> piece);
  /// An Error (kCorrupt) when the file has another checksum, or does not begin like a checkpoint.
  Status finish() const;

 private:
  struct Checksum;
  std::unique_ptr<Checksum> checksum_;
  std::string written_;
  std::uint64_t size_ = 0;
};

/// decode_checkpoint() of a file. No more is read and kept than the first bytes ask for. A file that does not
/// begin like a checkpoint is refused by its first bytes alone. One that is longer or shorter than its header
/// describes is refused by its size. Errors: those of decode_checkpoint() and of `file`; kTooLarge for a
/// whole checkpoint of more than `most` bytes; kSystem where memory does not suffice for it. Memory: the
/// file, and its arrays once more. A checkpoint of another format is read through a small buffer, to tell
/// whether it is sound.
Result<State> read_checkpoint(ReadableFile& file, std::uint64_t most);

}  // namespace glimpse
