#include "lab/studies/parts_check.h"

#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <utility>

#include "lab/experiments/answer_loss.h"
#include "lab/studies/part_runs.h"
#include "learn/factory.h"
#include "merging/merge_tree.h"

namespace glimpse {

namespace {

double loss_of(const Learner& learner, const DenseSet& test) {
  Model model;
  learner.model(model);
  return answer_loss(model, bounds_of(learner), test).clipped;
}

struct Part {
  std::unique_ptr<Learner> learner;
  Random random;
};

using Parts = std::vector<Part>;

Result<std::unique_ptr<Learner>> merge(const Parts& parts, const LearnerOptions& options) {
  MergeTree tree(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    State state;
    state.begin();
    parts[p].learner->save(state);
    state.finish();
    if (const Status status = tree.set(p, state); !status) return status.error();
  }
  const auto folded = tree.fold();
  if (!folded) return folded.error();
  auto merged = make_learner(options);
  if (!merged) return merged.error();
  if (const Status status = (*merged)->restore(*folded); !status) return status.error();
  return merged;
}

Result<Parts> begin_parts(const LearnerOptions& options, std::uint64_t count, std::uint64_t seed) {
  Parts parts;
  Random seeds(draws_seed(seed));
  for (std::uint64_t p = 0; p < count; ++p) {
    auto learner = make_learner(options);
    if (!learner) return learner.error();
    parts.push_back({std::move(*learner), Random(seeds.bits())});
  }
  return parts;
}

Status learn_in_turn(Parts& parts, const LearnerOptions& options, std::uint64_t seed, const DenseSet& train,
                     std::uint64_t share_every) {
  std::unique_ptr<Learner> all;  // that plans for all; nullptr: each for itself
  Plan plan;
  std::vector<double> values;
  std::size_t next = 0;
  for (const std::uint32_t row : training_order(train.size(), seed)) {
    if (share_every > 0 && next > 0 && next % share_every == 0) {
      auto merged = merge(parts, options);
      if (!merged) return merged.error();
      all = std::move(*merged);
    }
    Part& part = parts[next++ % parts.size()];
    (all ? *all : *part.learner).plan(part.random, plan);
    const auto x = train.row(row);
    values.clear();
    for (const Attribute i : plan.attributes) values.push_back(static_cast<double>(x[i]));
    part.learner->learn(plan, values, train.labels[row], 1);
  }
  return {};
}

Result<PartsPoint> run_parts(const LearnerOptions& options, std::uint64_t count, std::uint64_t seed,
                             const DataSet& data, std::uint64_t share_every) {
  auto parts = begin_parts(options, count, seed);
  if (!parts) return parts.error();
  if (const Status status = learn_in_turn(*parts, options, seed, data.train, share_every); !status)
    return status.error();
  const auto merged = merge(*parts, options);
  if (!merged) return merged.error();
  return PartsPoint{seed, count, (*merged)->counts().examples, loss_of(**merged, data.test),
                    loss_of(*parts->front().learner, data.test)};
}

}  // namespace

Result<std::vector<PartsPoint>> check_parts(const PartsCheck& check, const DataSource& source,
                                            const Execution& execution) {
  LearnerOptions options = check.learner;
  options.dimension = source.dimension();
  const PartRuns runs{check.parts, source.training_size(), "of the training set", check.first_seed,
                      check.seeds};
  return run_parts<PartsPoint>(runs, execution, [&](std::uint64_t count, std::uint64_t seed) {
    return run_parts(options, count, seed, *source.prepare(seed), check.share_every);
  });
}

std::string to_csv(const std::vector<PartsPoint>& points) {
  std::string text = "seed,parts,examples,merged_loss,first_part_loss\n";
  for (const PartsPoint& p : points)
    fmt::format_to(std::back_inserter(text), "{},{},{},{:.4f},{:.4f}\n", p.seed, p.parts, p.examples,
                   p.merged, p.alone);
  return text;
}

}  // namespace glimpse
