#include "polynomial_learner.h"

#include <algorithm>
#include <cmath>

#include "full_expansion.h"
#include "learn/apple/epochs.h"
#include "learn/apple/parent_tree.h"

namespace glimpse {

namespace {

std::size_t dimension_of(const PolynomialOptions& options) {
  if (options.method.bigrams && options.bigrams != nullptr) return options.bigrams->dimension();
  return options.idempotent.size() + (options.method.bigrams ? options.most_bigrams : 0);
}

unsigned degree_of(Expander expander) {
  return expander == Expander::kCubic ? 3 : expander == Expander::kQuad ? 2 : 1;
}

bool has_parents(Expander expander) { return expander == Expander::kApple || expander == Expander::kSsm; }

}  // namespace

PolynomialLearner::PolynomialLearner(const PolynomialOptions& options)
    : options_(options), steps_(dimension_of(options), {.rate = options.rate}) {
  if (options.method.bigrams)
    bigrams_ = options.bigrams != nullptr
                   ? std::make_unique<Bigrams>(*options.bigrams)
                   : std::make_unique<Bigrams>(options.idempotent.size(), options.most_bigrams);
  if (has_parents(options.method.expander)) {
    auto tree = std::make_unique<ParentTree>(dimension_of(options), options.most_products);
    tree_ = tree.get();
    expansion_ = std::move(tree);
  } else {
    // A product of neighbours is 0 or one number where both are.
    std::vector<bool> idempotent = options.idempotent;
    idempotent.resize(dimension_of(options), false);
    expansion_ = std::make_unique<FullExpansion>(degree_of(options.method.expander), std::move(idempotent),
                                                 options.most_products);
  }
}

std::span<const Entry> PolynomialLearner::extended(std::span<const Entry> entries, bool learns) const {
  if (bigrams_ == nullptr) return entries;
  entries_of_.assign(entries.begin(), entries.end());
  bigrams_->extend(entries_of_, learns);
  return entries_of_;
}

double PolynomialLearner::learn(std::span<const Entry> entries, double label) {
  const std::span<const Entry> all = extended(entries, true);
  expansion_->expand(all, features_of_);
  steps_.learn(features_of_, label, 1);
  entries_ += all.size();
  features_ += features_of_.size();
  ++examples_;
  if (tree_ != nullptr && !frozen_ && ends_epoch(examples_, options_.examples)) end_epoch();
  return steps_.prediction_before();
}

void PolynomialLearner::end_epoch() {
  const double given = static_cast<double>(entries_) / static_cast<double>(examples_);
  const auto count = static_cast<std::size_t>(std::max(std::pow(given, options_.method.exponent), 1.0));
  const ParentOrder by_weight = [this](std::uint32_t slot) { return steps_.worth(slot); };
  const ParentOrder by_residual = [this](std::uint32_t slot) {
    return steps_.has_seen(slot) ? steps_.residual_index(slot) : 0;
  };
  const bool is_ssm = options_.method.expander == Expander::kSsm;
  const auto chosen = choose_parents(*tree_, steps_, is_ssm ? by_residual : by_weight, count, false);
  for (const std::uint32_t slot : chosen) make_parent(slot);
}

void PolynomialLearner::make_parent(std::uint32_t slot) {
  tree_->make_parent(
      slot, [this](Attribute i) { return i < options_.idempotent.size() && options_.idempotent[i]; });
}

// An example in which nothing but the factors is other than 0 has the product among its features.
std::uint32_t PolynomialLearner::slot_of(std::span<const Attribute> factors) {
  if (factors.size() == 1) return factors[0];
  std::vector<Entry> entries;
  for (const Attribute i : factors)
    if (entries.empty() || entries.back().attribute != i) entries.push_back({i, 1});
  std::vector<FeatureValue> features;
  tree_->expand(entries, features);
  for (const FeatureValue& feature : features)
    if (std::ranges::equal(tree_->monomials().factors(feature.slot), factors)) return feature.slot;
  return Monomials::kNone;
}

void PolynomialLearner::freeze_parents(const std::vector<std::vector<Attribute>>& parents) {
  frozen_ = true;
  for (const std::vector<Attribute>& factors : parents) {
    const std::uint32_t slot = slot_of(factors);
    if (slot != Monomials::kNone && tree_->may_be_parent(slot)) make_parent(slot);
  }
}

double PolynomialLearner::predict(std::span<const Entry> entries) const {
  expansion_->expand_known(extended(entries, false), features_of_);
  return steps_.predict(features_of_);
}

double PolynomialLearner::mean_features() const {
  return examples_ == 0 ? 0 : static_cast<double>(features_) / static_cast<double>(examples_);
}

}  // namespace glimpse
