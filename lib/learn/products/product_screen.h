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

/// Which of very many attributes explain the label in a product, by what the linear model leaves of the label
/// in what was seen of the example, the rest.
///
/// With one that matters, the partner: screening of interactions under heredity (Hao & Zhang 2014). For each
/// partner p an AttributeScreen of all attributes, whose values are (x_p − c_p)(x_i − μ_i) where both were
/// seen. So it is known how rare such products are, and how far the largest of very many correlations is to
/// be believed.
///
/// With whatever: where x_i is a factor of something, the rest is larger where |x_i − μ_i| is (screening by
/// squares: Fan, Kong, Li & Zheng 2015). Magnitudes in place of squares, as these have heavy tails. One more
/// AttributeScreen, of |x_i − μ_i| and |rest|. This does not find attributes that are as often the one as the
/// other of two values: |x_i − μ_i| is the same then.
///
/// Memory: 56 bytes an attribute for each partner, and once more. Cost: O(K·partners) an example; fit() takes
/// O(d·partners). Thread-safety: none.
class ProductScreen {
 public:
  static constexpr std::size_t kMostPartners = 8;

  explicit ProductScreen(std::size_t dimension) : dimension_(dimension), magnitudes_(dimension) {}

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
    about_.resize(values.size());
    for (std::size_t a = 0; a < values.size(); ++a) about_[a] = values[a] - mean(plan.attributes[a]);
    add(plan.attributes, values, rest, importance);
  }
  void forget(double factor);
  void decay(double factor);
  /// What was seen of it is as if never seen; as a partner it is none any more.
  void forget_attribute(Attribute attribute);
  /// What was seen of its products with partners, or of its magnitude, is as if never seen.
  void forget_products(Attribute attribute);
  void forget_magnitude(Attribute attribute) { magnitudes_.forget_attribute(attribute); }
  void clear();

  void fit();
  /// REQUIRES fit(). What attribute i explains in the product with a partner that explains most; 0 without
  /// partners.
  AttributeScreen::Estimate estimate(Attribute attribute) const;
  /// REQUIRES fit(). What its magnitude explains of that of rests.
  AttributeScreen::Estimate estimate_of_magnitudes(Attribute attribute) const;
  /// Of what is left of labels; NaN before the first.
  double rest_variance() const;

  std::size_t memory_bytes() const {
    return (1 + partners_.size()) * dimension_ * AttributeScreen::kBytesAnAttribute;
  }

  /// "products.rests" and "products.magnitudes.", "products.partners", "products.partner_centres" and
  /// "products.screen.K." where there are partners.
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
  AttributeScreen magnitudes_;
  LabelSums sizes_;  // of |rest|
  LabelSums rests_;
  // Of the present example:
  std::vector<double> about_;
  std::vector<double> products_;
};

}  // namespace glimpse
