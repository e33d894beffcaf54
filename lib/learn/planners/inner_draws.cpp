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
  const std::span<SumTree::Descent> begun = std::span(descents_).first(count);
  tree_.begin_samples(random, begun);
  for (const SumTree::Descent& descent : begun) iterates_.prefetch_group(descent.first_item());
}

template class InnerDraws<LazyWeights>;
template class InnerDraws<ExponentiatedWeights>;

}  // namespace glimpse
