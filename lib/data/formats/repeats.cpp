#include "data/formats/repeats.h"

#include <algorithm>

namespace glimpse {

std::optional<Attribute> repeated_attribute(std::vector<Attribute>& attributes) {
  if (!std::is_sorted(attributes.begin(), attributes.end())) std::sort(attributes.begin(), attributes.end());
  const auto repeat = std::adjacent_find(attributes.begin(), attributes.end());
  if (repeat == attributes.end()) return std::nullopt;
  return *repeat;
}

void add_up_repeats(std::vector<Entry>& entries, std::vector<std::uint32_t>& scratch) {
  const auto not_ascending = [](const Entry& a, const Entry& b) { return a.attribute >= b.attribute; };
  if (std::adjacent_find(entries.begin(), entries.end(), not_ascending) == entries.end()) return;
  scratch.clear();
  for (std::uint32_t i = 0; i < entries.size(); ++i) scratch.push_back(i);
  std::sort(scratch.begin(), scratch.end(), [&](std::uint32_t a, std::uint32_t b) {
    return entries[a].attribute != entries[b].attribute ? entries[a].attribute < entries[b].attribute : a < b;
  });
  // Equal attributes now stand together, the first of the record in front. Those behind it give their value
  // to it and then carry the mark of being superfluous: the number of entries, which is no position.
  const auto superfluous = static_cast<std::uint32_t>(entries.size());
  for (std::size_t first = 0, i = 1; i < scratch.size(); ++i) {
    if (entries[scratch[i]].attribute == entries[scratch[first]].attribute) {
      entries[scratch[first]].value += entries[scratch[i]].value;
      scratch[i] = superfluous;
    } else {
      first = i;
    }
  }
  std::sort(scratch.begin(), scratch.end());
  std::size_t kept = 0;
  for (const std::uint32_t i : scratch) {
    if (i == superfluous) break;
    entries[kept++] = entries[i];
  }
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(kept), entries.end());
}

}  // namespace glimpse
