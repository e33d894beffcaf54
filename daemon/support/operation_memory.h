#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace glimpse {

/// Memory for one operation of Asio at a time, which is kept: what is begun again and again, as the wait for
/// the next connection, is begun also where memory has run out. Bind allocator() to the handler. A second
/// operation at the same time takes its memory from the system. Thread-safety: none.
class OperationMemory {
  static constexpr std::size_t kBytes = 512;  // an operation with a small handler takes some 200

  struct Block {
    bool is_used = false;
    alignas(std::max_align_t) std::byte bytes[kBytes];
  };

 public:
  template <class T>
  struct Allocator {
    using value_type = T;

    explicit Allocator(std::shared_ptr<Block> of) : block(std::move(of)) {}
    template <class U>
    Allocator(const Allocator<U>& other) : block(other.block) {}

    T* allocate(std::size_t count) {
      if (block->is_used || count * sizeof(T) > kBytes)
        return static_cast<T*>(::operator new(count * sizeof(T)));
      block->is_used = true;
      return reinterpret_cast<T*>(block->bytes);
    }
    void deallocate(T* pointer, std::size_t) {
      if (static_cast<void*>(pointer) == block->bytes)
        block->is_used = false;
      else
        ::operator delete(pointer);
    }

    template <class U>
    bool operator==(const Allocator<U>& other) const {
      return block == other.block;
    }

    std::shared_ptr<Block> block;  // operations may outlive who began them
  };

  Allocator<void> allocator() const { return Allocator<void>(block_); }

 private:
  std::shared_ptr<Block> block_ = std::make_shared<Block>();
};

}  // namespace glimpse
