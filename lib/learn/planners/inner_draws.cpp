#include "learn/planners/inner_draws.h"

#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

template <class Weights>
InnerDraws<Weights>::InnerDraws(const LearnerOptions& options, const GradientIterates<Weights>& iterates,
                                std::uint32_t most)
    : iterates_(iterates), sampling_(options.inner_sampling), tree_(options.dimension), descents_(most) {}

template <class Weights>
void InnerDraws<Weights>::begin_draws(Random& random, std::size_t count) {
  for (std::size_t r = 0; r < count; ++r) {
    descents_[r] = tree_.begin_sample(random);
    iterates_.prefetch_group(descents_[r].first_item());
  }
}

template class InnerDraws<LazyWeights>;
template class InnerDraws<ExponentiatedWeights>;

}  // namespace glimpse
