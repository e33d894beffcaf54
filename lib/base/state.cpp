#include "base/state.h"

#include <algorithm>
#include <utility>

namespace glimpse {

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::kU8:
      return 1;
    case ElementType::kU32:
    case ElementType::kF32:
      return 4;
    case ElementType::kU64:
    case ElementType::kF64:
      return 8;
  }
  return 1;
}

void State::begin() {
  written_ = 0;
  texts_.clear();
}

void State::finish() {
  for (std::size_t i = written_; i < tensors_.size(); ++i) places_.erase(tensors_[i].name);
  tensors_.resize(written_);
}

std::byte* State::put_bytes(std::string_view name, ElementType type, std::size_t size) {
  auto place = places_.find(name);
  if (place == places_.end()) {
    tensors_.push_back({std::string(name), type, {}});
    try {
      place = places_.emplace(name, tensors_.size() - 1).first;
    } catch (...) {
      tensors_.pop_back();
      throw;
    }
  }
  if (place->second >= written_) {
    std::swap(tensors_[place->second], tensors_[written_]);
    places_.find(tensors_[place->second].name)->second = place->second;
    place->second = written_++;
  }
  Tensor& tensor = tensors_[place->second];
  tensor.type = type;
  tensor.bytes.resize(size);
  return tensor.bytes.data();
}

void State::put_again(std::string_view name, const Tensor& tensor) {
  std::byte* const room = put_bytes(name, tensor.type, tensor.bytes.size());
  std::copy(tensor.bytes.begin(), tensor.bytes.end(), room);
}

void State::put_text(std::string_view name, std::string_view value) {
  texts_.push_back({std::string(name), std::string(value)});
}

const Tensor* State::find(std::string_view name) const {
  const auto place = places_.find(name);
  return place == places_.end() ? nullptr : &tensors_[place->second];
}

Result<const Tensor*> State::get_tensor(std::string_view name, ElementType type, std::size_t count) const {
  const Tensor* tensor = find(name);
  if (tensor == nullptr) return failure(ErrorCode::kCorrupt, "the state has no array '{}'", name);
  if (tensor->type != type)
    return failure(ErrorCode::kCorrupt, "the array '{}' has another element type", name);
  if (count != kAnyCount && tensor->count() != count)
    return failure(ErrorCode::kCorrupt, "the array '{}' has {} elements, not {}", name, tensor->count(),
                   count);
  return tensor;
}

Result<std::string_view> State::get_text(std::string_view name) const {
  for (const Text& text : texts_)
    if (text.name == name) return std::string_view(text.value);
  return failure(ErrorCode::kCorrupt, "the state has no text '{}'", name);
}

}  // namespace glimpse
