#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glimpse {

/// The element types that a State may hold; names as in safetensors.
enum class ElementType : std::uint8_t { kU8, kU32, kU64, kF32, kF64 };

std::size_t size_of(ElementType type);

template <class T>
constexpr ElementType element_type_of();
template <>
constexpr ElementType element_type_of<std::uint8_t>() {
  return ElementType::kU8;
}
template <>
constexpr ElementType element_type_of<std::uint32_t>() {
  return ElementType::kU32;
}
template <>
constexpr ElementType element_type_of<std::uint64_t>() {
  return ElementType::kU64;
}
template <>
constexpr ElementType element_type_of<float>() {
  return ElementType::kF32;
}
template <>
constexpr ElementType element_type_of<double>() {
  return ElementType::kF64;
}

/// A named one-dimensional array. `bytes` holds the elements in the machine's order (little-endian everywhere
/// glimpse runs).
struct Tensor {
  std::string name;
  ElementType type = ElementType::kU8;
  std::vector<std::byte> bytes;

  std::size_t count() const { return bytes.size() / size_of(type); }
  /// The numbers in it. REQUIRES: T is what `type` says.
  template <class T>
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(bytes.data()), count()};
  }
};

/// A named piece of text, for provenance and configuration.
struct Text {
  std::string name;
  std::string value;
};

/// Everything that something must remember, as named arrays and texts: what a checkpoint stores, and nothing
/// more. A State is reused between checkpoints: begin() keeps the memory of the arrays, so that writing the
/// same names with the same sizes again allocates nothing. Numbers are arrays of length 1, so that every bit
/// survives. Of many labels and classes there are thousands: an array is found in O(log n). Thread-safety:
/// none.
class State {
 public:
  /// Starts a new writing: everything not put again is gone by finish().
  void begin();
  /// Ends the writing that begin() began.
  void finish();

  /// Room for `count` elements under `name`, to be filled by the caller. Valid until the next put or begin of
  /// the same name.
  template <class T>
  std::span<T> put(std::string_view name, std::size_t count) {
    std::byte* data = put_bytes(name, element_type_of<T>(), count * sizeof(T));
    return {reinterpret_cast<T*>(data), count};
  }
  template <class T>
  void put_copy(std::string_view name, std::span<const T> values) {
    std::span<T> room = put<T>(name, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) room[i] = values[i];
  }
  void put_number(std::string_view name, double value) { put<double>(name, 1)[0] = value; }
  void put_number(std::string_view name, std::uint64_t value) { put<std::uint64_t>(name, 1)[0] = value; }
  /// The elements of another array, under this name.
  void put_again(std::string_view name, const Tensor& tensor);
  void put_text(std::string_view name, std::string_view value);

  static constexpr std::size_t kAnyCount = static_cast<std::size_t>(-1);

  /// The array `name`; an Error (kCorrupt) when it is absent, of another type, or not of `count` elements.
  template <class T>
  Result<std::span<const T>> get(std::string_view name, std::size_t count = kAnyCount) const {
    GLIMPSE_TRY_ASSIGN(auto tensor, get_tensor(name, element_type_of<T>(), count));
    return tensor->template values<T>();
  }
  template <class T>
  Result<T> get_number(std::string_view name) const {
    GLIMPSE_TRY_ASSIGN(auto values, get<T>(name, 1));
    return values[0];
  }
  /// The same; `absent` where there is no array of this name, as in a checkpoint from before it was added.
  template <class T>
  Result<T> get_number(std::string_view name, T absent) const {
    if (find(name) == nullptr) return absent;
    return get_number<T>(name);
  }
  Result<std::string_view> get_text(std::string_view name) const;

  /// The array `name` or nullptr.
  const Tensor* find(std::string_view name) const;

  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::vector<Text>& texts() const { return texts_; }

 private:
  std::byte* put_bytes(std::string_view name, ElementType type, std::size_t size);
  Result<const Tensor*> get_tensor(std::string_view name, ElementType type, std::size_t count) const;

  // The first `written_` tensors are of the present writing, in the order in which they were put; those
  // behind are spare memory.
  std::vector<Tensor> tensors_;
  std::map<std::string, std::size_t, std::less<>> places_;  // of all of them, by name
  std::vector<Text> texts_;
  std::size_t written_ = 0;
};

}  // namespace glimpse
