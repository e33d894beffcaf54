#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glimpse {

/// The entries with the largest keys among those offered, of equal keys the ones offered first. Keys must not
/// be NaN. Memory: that of `size` entries; time: O(log size) per offer. Thread-safety: none.
template <class T>
class TopList {
 public:
  explicit TopList(std::size_t size) : size_(size) {}

  /// Calls make() for the entry only when it belongs to the list.
  template <class Make>
  void offer(double key, Make make) {
    const std::uint64_t order = offered_++;
    if (size_ == 0 || (heap_.size() == size_ && !(key > heap_.front().key))) return;
    if (heap_.size() == size_) {
      std::pop_heap(heap_.begin(), heap_.end(), before);
      heap_.pop_back();
    }
    heap_.push_back({key, order, make()});
    std::push_heap(heap_.begin(), heap_.end(), before);
  }

  /// How many were offered.
  std::uint64_t offered() const { return offered_; }

  /// The entries, largest key first. The list is empty afterwards.
  std::vector<T> take() {
    std::sort_heap(heap_.begin(), heap_.end(), before);
    std::vector<T> entries;
    for (auto& item : heap_) entries.push_back(std::move(item.entry));
    heap_.clear();
    return entries;
  }

 private:
  struct Item {
    double key;
    std::uint64_t order;
    T entry;
  };

  /// The item that would leave first is on top of the heap.
  static bool before(const Item& a, const Item& b) {
    return a.key != b.key ? a.key > b.key : a.order < b.order;
  }

  const std::size_t size_;
  std::uint64_t offered_ = 0;
  std::vector<Item> heap_;
};

}  // namespace glimpse
