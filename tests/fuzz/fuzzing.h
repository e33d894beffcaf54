#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>

/// What the fuzzers share.

/// What must hold; the fuzzer keeps an input for which it does not.
inline void require(bool condition) {
  if (!condition) __builtin_trap();
}

/// A text in memory of exactly its size, so that the address sanitizer sees a step beyond either end.
class Exact {
 public:
  explicit Exact(std::string_view text) : size_(text.size()), bytes_(new char[text.size()]) {
    if (!text.empty()) std::memcpy(bytes_.get(), text.data(), text.size());
  }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

/// Takes an input apart. Whatever is taken behind its end is 0 or empty.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return static_cast<std::uint8_t>(first);
  }
  template <class T>
  T number() {
    T value{};
    const std::string_view bytes = take(sizeof(T));
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  /// Up to the next `end`, which is taken as well.
  std::string_view up_to(char end) {
    const std::string_view taken = rest_.substr(0, rest_.find(end));
    rest_.remove_prefix(std::min(taken.size() + 1, rest_.size()));
    return taken;
  }
  std::string_view rest() { return take(rest_.size()); }

 private:
  std::string_view rest_;
};

/// What a fuzzer does with an input.
using Fuzz = void (*)(Input input);

/// The fuzzers of the program, by name.
inline std::map<std::string_view, Fuzz>& fuzzers() {
  static std::map<std::string_view, Fuzz> all;
  return all;
}

/// Adds a fuzzer to the program. Each file adds one and has a namespace of its own, as files are compiled
/// together.
struct Fuzzer {
  Fuzzer(std::string_view name, Fuzz fuzz) { fuzzers().emplace(name, fuzz); }
};
