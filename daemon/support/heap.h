#pragma once

namespace glimpse {

/// What large lines and bodies took goes back to the system when they go: the C library would else raise its
/// threshold to their size, and keep their memory for ever in pieces. Before anything else is done. Without
/// effect where the C library is not glibc.
void tune_heap();

/// Gives back what the C library keeps of free memory between pieces that are in use: a few hundred
/// microseconds. Thread-safety: full.
void give_pieces_back();

}  // namespace glimpse
