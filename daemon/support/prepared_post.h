#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>

namespace glimpse {

/// Memory, taken beforehand, with which a function is handed to an I/O context later, from any thread. It is
/// for places where memory may have run out by then and the failure could not be reported: the end of
/// something, or a reply that must not be lost. Thread-safety: that of a value.
class PreparedPost {
 public:
  PreparedPost() : memory_(std::make_unique<Memory>()) {}

  /// Runs `function` on the context's thread, at once where this is it. Once. Allocates nothing, if moving
  /// `function` does not; its size is at most kFunction.
  template <class Function>
  void operator()(boost::asio::io_context& io, Function function) {
    static_assert(sizeof(Function) <= kFunction);
    boost::asio::dispatch(io.get_executor(),
                          boost::asio::bind_allocator(Allocator<void>(&memory_), std::move(function)));
  }

 private:
  static constexpr std::size_t kFunction = 192;
  static constexpr std::size_t kOperation = kFunction + 192;  // what Asio puts around it

  struct Memory {
    alignas(std::max_align_t) std::byte bytes[kOperation];
  };

  // Gives the memory out once, and to the system when that is done with it.
  template <class T>
  struct Allocator {
    using value_type = T;

    explicit Allocator(std::unique_ptr<Memory>* from) : memory(from) {}
    template <class U>
    Allocator(const Allocator<U>& other) : memory(other.memory) {}

    T* allocate(std::size_t count) {
      if (count * sizeof(T) > sizeof(Memory) || !*memory) throw std::bad_alloc();
      return reinterpret_cast<T*>(memory->release()->bytes);
    }
    void deallocate(T* pointer, std::size_t) { delete reinterpret_cast<Memory*>(pointer); }

    template <class U>
    bool operator==(const Allocator<U>& other) const {
      return memory == other.memory;
    }

    std::unique_ptr<Memory>* memory;  // used by allocate() alone, within operator()
  };

  std::unique_ptr<Memory> memory_;
};

}  // namespace glimpse
