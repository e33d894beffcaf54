#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"

namespace glimpse {

/// A draw made for a plan: which of its attributes, and by what to multiply that attribute's value.
struct Draw {
  std::uint32_t position;  ///< into Plan::attributes
  double coefficient;      ///< in the data-point part 1/(k_x q_i); in the inner-product part w_j/(k_p p_j);
                           ///< where all K draws serve both, 1/(K r_i) and w_i/(K r_i)
};

/// Several examples whose plans are the same one (draws/plan_blocks.h), and how many of them have it. What
/// plans are drawn from next, beside the random numbers: it is kept with these.
struct PlanBlock {
  std::uint64_t seed = 0;  ///< of the random numbers that the plan is drawn from
  std::uint32_t used = 0;  ///< by so many examples
  std::uint32_t size = 0;  ///< of so many; as many as `used`: the next plan is another one

  static constexpr std::uint32_t kMost = 16;  ///< examples

  bool is_open() const { return used < size; }
};

/// The contract between an example and a learner: the distinct attributes to reveal, and what the algorithm
/// must remember to stay unbiased for the weights it was planned with, however late the values come. A value
/// type; reusing one allocates nothing.
struct Plan {
  std::vector<Attribute> attributes;  ///< strictly ascending; at most the budget
  std::vector<double> centres;   ///< with control variates: what to take off each attribute's value; or empty
  std::vector<Draw> data_point;  ///< i_r ~ q; pairwise: those that were certain to be in the plan, if any
  std::vector<Draw>
      inner_product;             ///< j_r ~ p; empty while w = 0. With pairs of draws the same draws as above
  double offset = 0;             ///< what the prediction held beside ⟨w, x − centres⟩: the bias
  std::size_t population = 0;    ///< pairwise: of how many attributes inner_product was drawn, where not of
                                 ///< all; 0: of all, or, where some were certain, of none
  std::uint32_t generation = 0;  ///< gradient learners: how often weights were forgotten as poisoned before;
                                 ///< pairwise: of which choice it is (BestLooks), 0: of all attributes

  void clear() {
    attributes.clear();
    centres.clear();
    data_point.clear();
    inner_product.clear();
    offset = 0;
    population = 0;
    generation = 0;
  }
};

/// Puts draws into a plan in the order in which they were made, and then the distinct attributes they fall
/// on. O(K log K) a plan; allocates nothing once it has made a plan of that size. Thread-safety: none.
class PlanBuilder {
 public:
  /// Empties `plan`, which must live until finish().
  void begin(Plan& plan) {
    plan.clear();
    plan_ = &plan;
    order_.clear();
    paired_ = false;
  }
  void add_data_point(Attribute attribute, double coefficient) {
    order_.push_back(key(attribute, 0, plan_->data_point.size()));
    plan_->data_point.push_back({0, coefficient});
  }
  void add_inner_product(Attribute attribute, double coefficient) {
    order_.push_back(key(attribute, kInner, plan_->inner_product.size()));
    plan_->inner_product.push_back({0, coefficient});
  }
  /// A draw that serves both parts. Of a plan, all draws do or none.
  void add_pair(Attribute attribute, double data_coefficient, double inner_coefficient) {
    add_data_point(attribute, data_coefficient);
    plan_->inner_product.push_back({0, inner_coefficient});
    paired_ = true;
  }
  /// Gives every draw its position.
  void finish() {
    std::sort(order_.begin(), order_.end());
    for (const std::uint64_t key : order_) {
      const auto attribute = static_cast<Attribute>(key >> 32);
      const auto draw = static_cast<std::uint32_t>(key);
      std::vector<Attribute>& attributes = plan_->attributes;
      if (attributes.empty() || attributes.back() != attribute) attributes.push_back(attribute);
      std::vector<Draw>& part = (draw & kInner) != 0 ? plan_->inner_product : plan_->data_point;
      part[draw & ~kInner].position = static_cast<std::uint32_t>(attributes.size() - 1);
    }
    if (!paired_) return;
    for (std::size_t draw = 0; draw < plan_->data_point.size(); ++draw)
      plan_->inner_product[draw].position = plan_->data_point[draw].position;
  }

 private:
  static constexpr std::uint32_t kInner = std::uint32_t{1} << 31;

  static std::uint64_t key(Attribute attribute, std::uint32_t part, std::size_t draw) {
    return static_cast<std::uint64_t>(attribute) << 32 | part | draw;
  }

  Plan* plan_ = nullptr;
  bool paired_ = false;
  std::vector<std::uint64_t> order_;  // attribute, part and draw
};

}  // namespace glimpse
