#include "bigrams.h"

#include <algorithm>

namespace glimpse {

void Bigrams::extend(std::vector<Entry>& entries, bool learns) {
  const std::size_t own = entries.size();
  for (std::size_t i = 1; i < own; ++i) {
    const Entry& first = entries[i - 1];
    const Entry& second = entries[i];
    const double value = first.value * second.value;
    if (value == 0) continue;
    const std::uint64_t key = std::uint64_t{first.attribute} << 32 | second.attribute;
    auto found = numbers_.find(key);
    if (found == numbers_.end()) {
      if (!learns) continue;
      if (numbers_.size() == most_) {
        ++lacking_;
        continue;
      }
      found = numbers_.emplace(key, static_cast<Attribute>(dimension_ + numbers_.size())).first;
    }
    entries.push_back({found->second, value});
  }
  std::sort(entries.begin() + static_cast<std::ptrdiff_t>(own), entries.end(),
            [](const Entry& a, const Entry& b) { return a.attribute < b.attribute; });
}

}  // namespace glimpse
