#include "checkpoint/checkpoint_reader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "checkpoint/safetensors.h"

namespace glimpse {
namespace {

constexpr std::size_t kFirstBytes = 4096;
constexpr std::size_t kPiece = std::size_t{1} << 20;

Result<std::vector<std::byte>> read_first(ReadableFile& file, std::uint64_t count) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(count, file.size())));
  GLIMPSE_TRY(file.read(0, bytes));
  return bytes;
}

// Of a checkpoint of another format nothing but the checksum means anything here.
Status verify_in_pieces(ReadableFile& file) {
  CheckpointVerifier verifier;
  std::vector<std::byte> piece;
  for (std::uint64_t at = 0; at < file.size(); at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, file.size() - at)));
    GLIMPSE_TRY(file.read(at, piece));
    verifier.add(piece);
  }
  return verifier.finish();
}

Status verify_size(ReadableFile& file, std::uint64_t most) {
  std::uint64_t length = 0;
  if (file.size() < sizeof length)
    return failure(ErrorCode::kCorrupt, "it has {} bytes, fewer than the length of a header", file.size());
  std::byte first[sizeof length];
  GLIMPSE_TRY(file.read(0, first));
  std::memcpy(&length, first, sizeof length);
  if (length > kMaximalHeader || length > file.size() - sizeof length)
    return failure(ErrorCode::kCorrupt, "its header is said to have {} bytes, in a file of {}; at most {}",
                   length, file.size(), kMaximalHeader);
  GLIMPSE_TRY_ASSIGN(const auto header, read_first(file, sizeof length + length));
  GLIMPSE_TRY_ASSIGN(const auto described, described_size(header));
  if (described != file.size())
    return failure(ErrorCode::kCorrupt, "it has {} bytes, but the arrays of its header end at {}",
                   file.size(), described);
  if (file.size() > most)
    return failure(ErrorCode::kTooLarge, "it has {} bytes, more than the {} that a state can have here",
                   file.size(), most);
  return {};
}

}  // namespace

Result<State> read_checkpoint(ReadableFile& file, std::uint64_t most) {
  GLIMPSE_TRY_ASSIGN(const auto first, read_first(file, kFirstBytes));
  GLIMPSE_TRY_ASSIGN(const auto format, checkpoint_format(first));
  if (format != kCheckpointFormat) {
    GLIMPSE_TRY(verify_in_pieces(file));
    return mismatch_of_format(format);
  }
  try {
    GLIMPSE_TRY(verify_size(file, most));
    GLIMPSE_TRY_ASSIGN(const auto bytes, read_first(file, file.size()));
    return decode_checkpoint(bytes);
  } catch (const std::bad_alloc&) {
    return failure(ErrorCode::kSystem,
                   "there is not enough memory for its {} bytes, and its arrays once more", file.size());
  }
}

}  // namespace glimpse
