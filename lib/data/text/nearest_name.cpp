#include "data/text/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr std::size_t kMostNames = 1000;  // a stream of wrong names costs little
constexpr std::size_t kMostCharacters = 100;

// How many single characters are to be put in, left out or changed.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + static_cast<std::size_t>(a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string lower(std::string_view text) {
  std::string result(text.substr(0, kMostCharacters));
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string_view> known) {
  const std::string wanted = lower(name);
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(2, wanted.size() / 2);  // more is another word
  for (const std::string_view one : known.first(std::min(known.size(), kMostNames))) {
    if (one.empty()) continue;
    const std::size_t distance = edits(wanted, lower(one));
    if (distance >= fewest && !(best.empty() && distance == fewest && wanted.size() > 2)) continue;
    fewest = distance;
    best = one;
  }
  return std::string(best);
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known) {
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? std::string() : fmt::format("; did you mean {}?", in_quotes(nearest));
}

}  // namespace glimpse
