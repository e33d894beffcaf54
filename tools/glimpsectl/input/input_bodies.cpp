#include "glimpsectl/input/input_bodies.h"

#include <iterator>

namespace glimpse::ctl {

InputBodies::InputBodies(const std::string& name, Console& console)
    : name_(name), in_(name == "-" ? console.in : file_), chunks_(in_) {
  if (name != "-") file_.open(name, std::ios::binary);
}

Result<bool> InputBodies::is_array() {
  if (!in_) return failure(ErrorCode::kSystem, "'{}' cannot be opened", name_);
  is_array_ = in_.peek() == '[';
  if (in_.eof()) in_.clear(std::ios::eofbit);  // an empty input is no failure
  return is_array_;
}

Result<std::optional<LineChunks::Chunk>> InputBodies::next() {
  if (is_array_) {
    if (in_.eof()) return std::optional<LineChunks::Chunk>();
    LineChunks::Chunk whole{{std::istreambuf_iterator<char>(in_), {}}, 0};
    in_.setstate(std::ios::eofbit);
    return whole;
  }
  auto chunk = chunks_.next();
  if (!chunk) return failure(chunk.error().code, "'{}': {}", name_, chunk.error().message);
  return chunk;
}

}  // namespace glimpse::ctl
