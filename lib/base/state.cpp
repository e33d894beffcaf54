#include "base/state.h"

#include <algorithm>

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

void State::finish() { tensors_.resize(written_); }

std::byte* State::put_bytes(std::string_view name, ElementType type, std::size_t size) {
  std::size_t index = 0;
  while (index < tensors_.size() && tensors_[index].name != name) ++index;
  if (index == tensors_.size()) tensors_.push_back({std::string(name), type, {}});
  if (index >= written_) {
    std::swap(tensors_[index], tensors_[written_]);
    index = written_++;
  }
  tensors_[index].type = type;
  tensors_[index].bytes.resize(size);
  return tensors_[index].bytes.data();
}

void State::put_again(std::string_view name, const Tensor& tensor) {
  std::byte* const room = put_bytes(name, tensor.type, tensor.bytes.size());
  std::copy(tensor.bytes.begin(), tensor.bytes.end(), room);
}

void State::put_text(std::string_view name, std::string_view value) {
  texts_.push_back({std::string(name), std::string(value)});
}

const Tensor* State::find(std::string_view name) const {
  const auto same = [&](const Tensor& tensor) { return tensor.name == name; };
  const auto place = std::find_if(tensors_.begin(), tensors_.end(), same);
  return place == tensors_.end() ? nullptr : &*place;
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
