#pragma once

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

}  // namespace glimpse
