#pragma once

#include <cstdint>

#include "base/file.h"
#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// decode_checkpoint() of a file. No more is read and kept than the first bytes ask for. A file that does not
/// begin like a checkpoint is refused by its first bytes alone. One that is longer or shorter than its header
/// describes is refused by its size. Errors: those of decode_checkpoint() and of `file`; kTooLarge for a
/// whole checkpoint of more than `most` bytes; kSystem where memory does not suffice for it. Memory: the
/// file, and its arrays once more. A checkpoint of another format is read through a small buffer, to tell
/// whether it is sound.
Result<State> read_checkpoint(ReadableFile& file, std::uint64_t most);

}  // namespace glimpse
