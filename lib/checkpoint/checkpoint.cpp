#include "checkpoint/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>
#include <xxhash.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/numbers.h"
#include "checkpoint/safetensors.h"
#include "data/text/encoding.h"
#include "json/strict_json.h"

namespace glimpse {

namespace {

// Every format, also of the future, begins like this behind the eight bytes of the header's length:
// kBeginning, the sixteen digits, kBeforeFormat, the format number. So the checksum is found and verified
// before anything in the file is believed, and the number is read before anything is taken to mean what it
// means in this format.
constexpr std::string_view kBeginning = R"({"__metadata__":{"glimpse":"{\"checksum\":\"xxh3:)";
constexpr std::string_view kBeforeFormat = R"(\",\"format\":)";
constexpr std::size_t kDigitsAt = 8 + kBeginning.size();
constexpr std::string_view kNoDigits = "0000000000000000";
constexpr std::size_t kDigitsEnd = kDigitsAt + kNoDigits.size();

/// XXH3-64 of what was added, piece by piece.
class Xxh3 {
 public:
  Xxh3() : state_(XXH3_createState()) {
    if (state_ == nullptr) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }
  void add(const void* bytes, std::size_t size) {
    if (size != 0) XXH3_64bits_update(state_.get(), bytes, size);
  }
  std::string digits() const { return fmt::format("{:016x}", XXH3_64bits_digest(state_.get())); }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

std::string metadata_of(const State& state) {
  boost::json::object texts;
  for (const auto& [name, value] : state.texts()) texts.emplace(name, value);
  boost::json::object glimpse;
  glimpse.emplace("checksum", fmt::format("xxh3:{}", kNoDigits));  // first, see kBeginning
  glimpse.emplace("format", kCheckpointFormat);
  glimpse.emplace("texts", std::move(texts));
  return boost::json::serialize(glimpse);
}

/// What a JSON object could not say faithfully must be found before it is built.
Status verify_texts(const State& state) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : state.texts()) {
    if (!is_utf8(name)) return failure(ErrorCode::kInvalidInput, "the name of a text is not UTF-8");
    if (!is_utf8(value)) return failure(ErrorCode::kInvalidInput, "the text '{}' is not UTF-8", name);
    names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) return failure(ErrorCode::kInvalidInput, "the text '{}' occurs twice", *twice);
  return {};
}

Result<SafetensorsLayout> lay_out_checkpoint(const State& state) {
  GLIMPSE_TRY(verify_texts(state));
  const std::vector<Text> metadata{{"glimpse", metadata_of(state)}};
  auto layout = lay_out_safetensors(views_of(state), metadata);
  if (!layout) return layout.error();

  Xxh3 checksum;
  checksum.add(layout->header.data(), layout->header.size());
  for (const auto& tensor : layout->tensors) checksum.add(tensor.bytes.data(), tensor.bytes.size());
  layout->header.replace(kDigitsAt, kNoDigits.size(), checksum.digits());
  return layout;
}

constexpr std::string_view kNoCheckpoint = "not a glimpse checkpoint: it does not begin like one";

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool begins_like_one(std::string_view file) {
  return file.size() >= kDigitsEnd && file.substr(8, kBeginning.size()) == kBeginning;
}

std::span<std::byte> room_for(State& state, const TensorView& tensor) {
  const std::size_t count = tensor.bytes.size() / size_of(tensor.type);
  switch (tensor.type) {
    case ElementType::kU8:
      return std::as_writable_bytes(state.put<std::uint8_t>(tensor.name, count));
    case ElementType::kU32:
      return std::as_writable_bytes(state.put<std::uint32_t>(tensor.name, count));
    case ElementType::kU64:
      return std::as_writable_bytes(state.put<std::uint64_t>(tensor.name, count));
    case ElementType::kF32:
      return std::as_writable_bytes(state.put<float>(tensor.name, count));
    case ElementType::kF64:
      return std::as_writable_bytes(state.put<double>(tensor.name, count));
  }
  return {};
}

/// Puts the texts into `state`.
Status decode_texts(std::string_view metadata, State& state) {
  const auto corrupt = [](std::string_view why) {
    return failure(ErrorCode::kCorrupt, "the metadata 'glimpse' of the checkpoint {}", why);
  };
  const auto json = parse_strict_json(metadata);
  if (!json) return corrupt(json.error().message);
  const auto* object = json->if_object();
  const auto* texts = object == nullptr ? nullptr : object->if_contains("texts");
  if (texts == nullptr || !texts->is_object() || object->size() != 3)
    return corrupt("is not a checksum, a format and texts");
  for (const auto& text : texts->get_object()) {
    if (!text.value().is_string()) return corrupt("has a text that is no string");
    state.put_text(text.key(), text.value().get_string());
  }
  return {};
}

}  // namespace

Status write_checkpoint(WritableFile& file, const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto layout, lay_out_checkpoint(state));
  return layout.write_to(file);
}

Result<std::string> encode_checkpoint(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto layout, lay_out_checkpoint(state));
  return layout.bytes();
}

struct CheckpointVerifier::Checksum : Xxh3 {};

CheckpointVerifier::CheckpointVerifier() : checksum_(std::make_unique<Checksum>()) {}
CheckpointVerifier::~CheckpointVerifier() = default;

void CheckpointVerifier::add(std::span<const std::byte> piece) {
  std::string_view bytes = as_text(piece);
  if (size_ == 0 && begins_like_one(bytes)) {
    written_ = bytes.substr(kDigitsAt, kNoDigits.size());
    checksum_->add(bytes.data(), kDigitsAt);
    checksum_->add(kNoDigits.data(), kNoDigits.size());
    bytes.remove_prefix(kDigitsEnd);
  }
  checksum_->add(bytes.data(), bytes.size());
  size_ += piece.size();
}

Status CheckpointVerifier::finish() const {
  if (written_.empty()) return failure(ErrorCode::kCorrupt, "{}", kNoCheckpoint);
  const auto found = checksum_->digits();
  if (written_ != found)
    return failure(ErrorCode::kCorrupt, "the checksum of {} bytes is xxh3:{}, not that of the file's header",
                   size_, found);
  return {};
}

Result<std::uint64_t> checkpoint_format(std::span<const std::byte> first) {
  std::string_view file = as_text(first);
  if (!begins_like_one(file)) return failure(ErrorCode::kCorrupt, "{}", kNoCheckpoint);
  file.remove_prefix(kDigitsEnd);
  if (!file.starts_with(kBeforeFormat)) return std::uint64_t{0};
  file.remove_prefix(kBeforeFormat.size());
  return take_number<std::uint64_t>(file).value_or(0);
}

Error mismatch_of_format(std::uint64_t format) {
  if (format == 0) return failure(ErrorCode::kCorrupt, "the checkpoint has no format number");
  return failure(ErrorCode::kMismatch, "the checkpoint has format {}; this build reads format {}", format,
                 kCheckpointFormat);
}

Result<State> decode_checkpoint(std::span<const std::byte> bytes) {
  GLIMPSE_TRY_ASSIGN(const auto format, checkpoint_format(bytes));
  CheckpointVerifier verifier;
  verifier.add(bytes);
  GLIMPSE_TRY(verifier.finish());
  if (format != kCheckpointFormat) return mismatch_of_format(format);
  GLIMPSE_TRY_ASSIGN(const auto content, decode_safetensors(bytes));
  if (content.metadata.size() != 1)
    return failure(ErrorCode::kCorrupt, "the checkpoint has other metadata than 'glimpse'");

  State state;
  state.begin();
  GLIMPSE_TRY(decode_texts(content.metadata[0].value, state));
  for (const auto& tensor : content.tensors) {
    const auto room = room_for(state, tensor);
    if (!room.empty()) std::memcpy(room.data(), tensor.bytes.data(), room.size());
  }
  state.finish();
  return state;
}

std::uint64_t checksum_of(std::span<const std::byte> checkpoint) {
  constexpr int kHexadecimal = 16;
  if (checkpoint.size() < kDigitsAt + kNoDigits.size()) return 0;
  const char* const digits = reinterpret_cast<const char*>(checkpoint.data()) + kDigitsAt;
  std::uint64_t checksum = 0;
  const auto read = std::from_chars(digits, digits + kNoDigits.size(), checksum, kHexadecimal);
  return read.ptr == digits + kNoDigits.size() ? checksum : 0;
}

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
