#include "learn/options/pair_products.h"

#include <cstdint>
#include <fmt/core.h>
#include <fmt/format.h>
#include <limits>
#include <string>

#include "base/option_row.h"
#include "stats/pair_moments.h"

namespace glimpse {

namespace {

constexpr std::size_t kMostDegree = 3;
constexpr std::size_t kFewestProductPlaces = 8;
constexpr std::size_t kFewestScreened = 4;
// One feature in so many may be a product, where some attributes are active.
constexpr std::uint64_t kProductsShareOfRoom = 4;

std::size_t most_places(std::size_t degree) { return degree < kMostDegree ? 48 : 16; }

// Of d attributes and the products of up to `degree` of `places` of them; 2⁶⁴ − 1 where 64 bits may not hold
// it.
std::uint64_t count_features(std::uint64_t d, std::uint64_t places, std::size_t degree) {
  constexpr std::uint64_t kCountable = std::uint64_t{1} << 20;
  if (places > kCountable) return std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t pairs = places * (places + 1) / 2;
  return d + pairs + (degree > 2 ? pairs * (places + 2) / 3 : 0);
}

// Of a learner that screens.
std::size_t screened_places(const LearnerOptions& o) {
  const std::uint64_t room = PairMoments::largest_dimension(o.pair_memory);
  const std::uint64_t active = std::min(o.active.value_or(kStandardActive), o.dimension);
  const auto fits = [&](std::uint64_t places) {
    const std::uint64_t products = count_features(0, places, o.products);
    if (active == o.dimension && active + products <= room) return true;
    if (!o.active) return products <= room / kProductsShareOfRoom;
    return places <= active / 2 && active + products <= room;
  };
  if (active == o.dimension && count_features(active, o.dimension, o.products) <= room) return o.dimension;
  for (std::size_t places = most_places(o.products); places >= kFewestScreened; --places)
    if (places <= o.dimension && fits(places)) return places;
  return 0;
}

Status validate_screened(const LearnerOptions& o) {
  if (product_places(o) > 0) return {};
  const std::string text = fmt::format("{}", o.products);
  const std::uint64_t products = count_features(0, kFewestScreened, o.products);
  if (o.active && *o.active < 2 * kFewestScreened)
    return invalid_option("products", text,
                          fmt::format("needs --active {} or more, as half of these may have products, not {}",
                                      2 * kFewestScreened, *o.active));
  return invalid_option(
      "products", text,
      fmt::format(
          "would keep {} bytes for the pairs of {} attributes and the products of {} of them, but "
          "--pair-memory is {}: make it larger{}",
          PairMoments::memory_bytes(o.active ? *o.active + products : kProductsShareOfRoom * products),
          o.active.value_or((kProductsShareOfRoom - 1) * products), kFewestScreened, o.pair_memory,
          o.active ? ", or --active smaller" : ""));
}

}  // namespace

std::size_t product_features(const LearnerOptions& o) {
  return o.products == 0 ? 0 : static_cast<std::size_t>(count_features(0, product_places(o), o.products));
}

std::size_t product_places(const LearnerOptions& o) {
  if (screens(o.algorithm)) return screened_places(o);
  const auto fits = [&](std::size_t places) {
    return PairMoments::memory_bytes(count_features(o.dimension, places, o.products)) <= o.pair_memory;
  };
  if (fits(o.dimension)) return o.dimension;
  for (std::size_t places = std::min(most_places(o.products), o.dimension); places >= kFewestProductPlaces;
       --places)
    if (fits(places)) return places;
  return 0;
}

Status validate_pair_products(const LearnerOptions& o) {
  if (o.products == 0) return {};
  const std::string text = fmt::format("{}", o.products);
  const auto refuse = [&](const std::string& why) { return invalid_option("products", text, why); };
  if (o.products < 2 || o.products > kMostDegree) return refuse("must be off, 2 or 3");
  if (!keeps_pairs(o.algorithm))
    return refuse(fmt::format("is for {} only", algorithm_names(keeps_pairs, " and ")));
  if (!o.bias) return refuse("needs --bias on, as products are of what is about a centre");
  if (o.radius) return refuse("contradicts --radius: attributes and products have no common unit");
  if (o.budget < 2 * o.products && o.budget < o.dimension)
    return refuse(fmt::format("needs a --budget of {} or more: two products are of {} attributes",
                              2 * o.products, 2 * o.products));
  if (screens(o.algorithm)) return validate_screened(o);
  if (product_places(o) > 0) return {};
  return refuse(
      fmt::format("would keep {} bytes for the pairs of {} attributes and the products of {} of them, but "
                  "--pair-memory is "
                  "{}: make it larger, or leave attributes out (--ignore)",
                  PairMoments::memory_bytes(
                      count_features(o.dimension, std::min(o.dimension, kFewestProductPlaces), o.products)),
                  o.dimension, std::min(o.dimension, kFewestProductPlaces), o.pair_memory));
}

// Each learner's products are about the means of its own first examples. Those of another one would have to
// be moved to other centres, which takes sums of examples that show three attributes together.
Status refuse_to_merge_products() {
  return failure(
      ErrorCode::kUnavailable,
      "--products: such learners cannot be merged, as each has its products about means of its own: "
      "take learners without --products");
}

std::string label_line(const std::vector<std::string>& labels) {
  std::string line;
  for (const std::string& name : labels) {
    if (!line.empty()) line += ',';
    if (name.find_first_of(",\"\n") == std::string::npos) {
      line += name;
      continue;
    }
    line += '"';
    for (const char c : name) {
      if (c == '"') line += '"';
      line += c == '\n' ? ' ' : c;
    }
    line += '"';
  }
  return line;
}

// One forgets for all labels, as they share the pairs, so that a change in one would cost the others theirs.
Status validate_labels(const LearnerOptions& o) {
  if (o.labels.size() < 2) return {};
  const std::string text = label_line(o.labels);
  if (o.labels.size() > LearnerOptions::kMostLabels)
    return failure(ErrorCode::kInvalidOption, "--label: names {} labels; must be at most {}", o.labels.size(),
                   LearnerOptions::kMostLabels);
  if (!keeps_pairs(o.algorithm))
    return invalid_option("label", text,
                          fmt::format("several labels are for {} only, not {}",
                                      algorithm_names(keeps_pairs, " and "), o.algorithm));
  if (o.products > 0) return invalid_option("label", text, "several labels go without --products");
  if (o.look_at_best)
    return invalid_option("label", text, "several labels go without --look-at-best, whose choice is for one");
  if (o.radius)
    return invalid_option("label", text, "several labels go without --radius, which is in units of one");
  if (o.drift == Drift::kAuto)
    return invalid_option(
        "label", text,
        "several labels go without --drift auto, which forgets for all of them: take --half-life");
  for (std::size_t a = 0; a < o.labels.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (o.labels[a] == o.labels[b])
        return invalid_option("label", text, fmt::format("names {} twice", o.labels[a]));
  return {};
}

}  // namespace glimpse
