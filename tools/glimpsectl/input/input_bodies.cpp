#include "glimpsectl/input/input_bodies.h"

#include <algorithm>
#include <iterator>

#include "data/text/text.h"

namespace glimpse::ctl {

Result<std::optional<LineChunks::Chunk>> LineChunks::next() {
  std::size_t searched = 0;  // no newline before
  for (;;) {
    std::size_t cut = 0;
    if (held_.size() >= size_) {
      const auto last = held_.rfind('\n', size_ - 1);
      const auto newline = last != std::string::npos ? last : held_.find('\n', std::max(searched, size_));
      if (newline != std::string::npos) cut = newline + 1;
      searched = held_.size();
    }
    if (cut == 0 && in_.eof()) cut = held_.size();
    if (cut > 0) {
      Chunk chunk{held_.substr(0, cut), lines_};
      held_.erase(0, cut);
      lines_ += static_cast<std::uint64_t>(std::count(chunk.text.begin(), chunk.text.end(), '\n'));
      return chunk;
    }
    if (in_.eof()) return std::optional<Chunk>();

    const std::size_t before = held_.size();
    held_.resize(before + size_);
    in_.read(held_.data() + before, static_cast<std::streamsize>(size_));
    held_.resize(before + static_cast<std::size_t>(in_.gcount()));
    if (in_.bad() || (in_.fail() && !in_.eof()))
      return failure(ErrorCode::kSystem, "the input cannot be read");
  }
}

namespace {
constexpr std::size_t kPiece = std::size_t{64} << 10;
}

Result<std::optional<std::size_t>> UnpackedBuffer::read_raw(std::span<char> room) {
  in_.read(room.data(), static_cast<std::streamsize>(room.size()));
  if (in_.bad() || (in_.fail() && !in_.eof())) return failure(ErrorCode::kSystem, "the input cannot be read");
  bytes_read_ += static_cast<std::uint64_t>(in_.gcount());
  return std::optional(static_cast<std::size_t>(in_.gcount()));
}

UnpackedBuffer::int_type UnpackedBuffer::underflow() {
  if (!status_) return traits_type::eof();
  room_.resize(kPiece);
  const auto count = read(room_);
  if (!count) status_ = count.error();
  setg(room_.data(), room_.data(), room_.data() + (count ? count->value_or(0) : 0));
  return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
}

std::size_t count_records(std::string_view text, std::size_t most) {
  std::size_t count = 0;
  while (!text.empty() && count < most) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!is_blank_or_comment(line)) ++count;
  }
  return count;
}

InputBodies::InputBodies(const std::string& name, Console& console, std::size_t size)
    : name_(name), size_(size), buffer_(name == "-" ? console.in : file_), in_(&buffer_), chunks_(in_, size) {
  if (name != "-") file_.open(name, std::ios::binary);
}

// Why there is no more than there is.
Status InputBodies::trouble() const {
  const Status& status = buffer_.status();
  if (status) return {};
  return failure(status.error().code, "'{}': {}", name_, status.error().message);
}

// The byte order mark of UTF-8, which stands in front of JSON as well.
void InputBodies::pass_over_mark() {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  std::size_t count = 0;
  // It lies in one buffer, which is left only where another one is filled.
  while (count < kMark.size() && (count == 0 || in_.rdbuf()->in_avail() > 0) &&
         in_.peek() == std::char_traits<char>::to_int_type(kMark[count])) {
    in_.get();
    ++count;
  }
  if (count == kMark.size()) return;
  for (; count > 0; --count) in_.unget();
}

Result<bool> InputBodies::is_array() {
  if (name_ != "-" && !file_.is_open()) return failure(ErrorCode::kSystem, "'{}' cannot be opened", name_);
  pass_over_mark();
  is_array_ = in_.peek() == '[';
  if (in_.eof()) in_.clear(std::ios::eofbit);  // an empty input is no failure
  GLIMPSE_TRY(trouble());
  return is_array_;
}

Result<std::optional<LineChunks::Chunk>> InputBodies::next() {
  if (!is_array_) return next_lines();
  if (in_.eof()) return std::optional<LineChunks::Chunk>();
  LineChunks::Chunk whole{{std::istreambuf_iterator<char>(in_), {}}, 0};
  in_.setstate(std::ios::eofbit);
  GLIMPSE_TRY(trouble());
  return whole;
}

Result<std::optional<LineChunks::Chunk>> InputBodies::next_lines() {
  const std::size_t wanted = is_first_ ? 2 : 1;
  std::optional<LineChunks::Chunk> body;
  for (std::size_t records = 0; records < wanted;) {
    auto chunk = chunks_.next();
    // What is cut short has no whole last line.
    GLIMPSE_TRY(trouble());
    if (!chunk) return failure(chunk.error().code, "'{}': {}", name_, chunk.error().message);
    if (!*chunk) {
      if (records == 0 && !is_first_) return std::optional<LineChunks::Chunk>();
      break;
    }
    records += count_records((*chunk)->text, wanted - records);
    if (body)
      body->text += (*chunk)->text;
    else
      body = std::move(**chunk);
  }
  is_first_ = false;
  return body;
}

void InputBodies::make_room(std::size_t bytes) {
  chunks_.set_size(std::max(size_ - std::min(bytes, size_ - 1), bytes));
}

}  // namespace glimpse::ctl
