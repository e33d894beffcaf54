#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace glimpse {

namespace detail {
/// `bytes` zero bytes, page-aligned, in huge pages where the system gives them. Throws std::bad_alloc.
void* allocate_large(std::size_t bytes);
void free_large(void* data, std::size_t bytes) noexcept;
}  // namespace detail

/// A fixed-size array of zero-initialised elements, for the arrays of length d that are read at random: huge
/// pages spare most of the address-translation misses that would otherwise dominate a step at d = 10⁷. Moves,
/// does not copy. Thread-safety: that of a plain array.
template <class T>
class LargeArray {
  static_assert(std::is_trivially_copyable_v<T>, "elements begin as zero bytes");

 public:
  LargeArray() = default;
  explicit LargeArray(std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<T*>(detail::allocate_large(size * sizeof(T)))), size_(size) {}
  LargeArray(LargeArray&& other) noexcept { swap(other); }
  LargeArray& operator=(LargeArray&& other) noexcept {
    swap(other);
    return *this;
  }
  LargeArray(const LargeArray&) = delete;
  LargeArray& operator=(const LargeArray&) = delete;
  ~LargeArray() {
    if (data_ != nullptr) detail::free_large(data_, size_ * sizeof(T));
  }

  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  operator std::span<const T>() const { return {data_, size_}; }

 private:
  void swap(LargeArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Asks the processor to bring the cache line of `address` near. A hint: never faults.
inline void prefetch(const void* address) { __builtin_prefetch(address); }

}  // namespace glimpse
