#pragma once

#include <cstddef>
#include <cstdint>
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
/// syncs nor closes. Errors: those of the file; kInvalidInput when two texts have the same name, an array is
/// called "__metadata__", or a name or text is not UTF-8 (other bytes belong into a U8 array); kTooLarge when
/// names and texts pass 100 MB. Thread-safety: `state` is only read. Cost: arrays are read twice (checksum,
/// write) and not copied.
Status write_checkpoint(WritableFile& file, const State& state);

/// The same file in memory.
Result<std::string> encode_checkpoint(const State& state);

/// Reads a checkpoint back: the arrays and texts are those that were written, to the bit; the order of arrays
/// may differ. Errors: kCorrupt for whatever is not, byte by byte, what write_checkpoint once wrote;
/// kMismatch when it is sound but has another format number than kCheckpointFormat. Thread-safety: a pure
/// function. Cost: O(bytes), one copy of the arrays.
Result<State> decode_checkpoint(std::span<const std::byte> bytes);

}  // namespace glimpse
