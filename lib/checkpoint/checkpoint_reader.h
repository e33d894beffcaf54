#pragma once

#include <cstdint>

#include "base/file.h"
#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// decode_checkpoint() of a file, of which no more is read and kept than its first bytes ask for: what does
/// not begin like a checkpoint is refused by these alone, and a file that is longer or shorter than its
/// header describes by its size. Errors: those of decode_checkpoint() and of `file`; kTooLarge for a whole
/// checkpoint of more than `most` bytes; kSystem where memory does not suffice for it. Memory: the file, and
/// its arrays once more. A checkpoint of another format is read through a small buffer, to tell whether it is
/// sound.
Result<State> read_checkpoint(ReadableFile& file, std::uint64_t most);

}  // namespace glimpse
