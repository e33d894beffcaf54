#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "learn/core/plan.h"
#include "learn/covariance/attribute_screen.h"
#include "stats/pair_moments.h"

namespace glimpse {

/// Which of very many attributes explain the label in a product with one that matters, the partner: screening
/// of interactions under heredity (Hao & Zhang 2014). For each partner p an AttributeScreen of all
/// attributes, whose values are (x_p − c_p)(x_i − μ_i) where both were seen, and whose labels are what the
/// linear model leaves of the label in what was seen of the example. So it is known how rare such products
/// are, and how far the largest of very many correlations is to be believed.
///
/// Memory: 56 bytes an attribute for each partner. Cost: O(K·partners) an example; fit() takes
/// O(d·partners). Thread-safety: none.
class ProductScreen {
 public:
  static constexpr std::size_t kMostPartners = 8;

  explicit ProductScreen(std::size_t dimension) : dimension_(dimension) {}

  struct Partner {
    Attribute attribute = 0;
    double centre = 0;
  };
  /// These are the partners from now on, ascending. Those that were go on, about the centres they had.
  void set_partners(std::span<const Partner> partners);
  bool has_partner(Attribute attribute) const;
  std::size_t partners() const { return partners_.size(); }
  Attribute partner(std::size_t k) const { return partners_[k].of.attribute; }

  /// One example. mean(i): of attribute i so far, NaN where it was not seen before. `rest`: what is left of
  /// its label.
  template <class Mean>
  void add(const Plan& plan, std::span<const double> values, double rest, double importance,
           const Mean& mean) {
    if (partners_.empty()) return;
    about_.resize(values.size());
    for (std::size_t a = 0; a < values.size(); ++a) about_[a] = values[a] - mean(plan.attributes[a]);
    add(plan.attributes, values, rest, importance);
  }
  void forget(double factor);
  void decay(double factor);
  /// What was seen of products with it is as if never seen; as a partner it is none any more.
  void forget_attribute(Attribute attribute);
  void clear() { partners_.clear(); }

  void fit();
  /// REQUIRES fit(). What attribute i explains in the product that explains most; 0 without partners.
  AttributeScreen::Estimate estimate(Attribute attribute) const;
  /// Of what is left of labels; NaN without partners.
  double rest_variance() const;

  std::size_t memory_bytes() const {
    return partners_.size() * dimension_ * AttributeScreen::kBytesAnAttribute;
  }

  /// "products.partners", "products.partner_centres", "products.rests" and "products.screen.K.", where there
  /// are partners.
  void save(State& state) const;
  /// Errors: kCorrupt.
  Status restore(const State& state);

 private:
  struct Watched {
    Partner of;
    LabelSums rests;
    AttributeScreen screen;
  };
  void add(std::span<const Attribute> attributes, std::span<const double> values, double rest,
           double importance);

  std::size_t dimension_;
  std::vector<Watched> partners_;
  // Of the present example:
  std::vector<double> about_;
  std::vector<double> products_;
};

}  // namespace glimpse
