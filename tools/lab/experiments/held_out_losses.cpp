#include "lab/experiments/held_out_losses.h"

#include <atomic>
#include <cmath>
#include <limits>

#include "lab/experiments/evaluation.h"
#include "lab/experiments/parallel.h"

namespace glimpse {

namespace {
double value(const std::vector<double>& given, int index) {
  return given.empty() ? std::ldexp(1.0, index) : given[static_cast<std::size_t>(index)];
}
}  // namespace

std::vector<Fold> make_folds(std::span<const std::uint32_t> rows, std::size_t count) {
  std::vector<Fold> folds(count);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t f = 0; f < count; ++f)
      (i % count == f ? folds[f].held_out : folds[f].train).push_back(rows[i]);
  return folds;
}

double mean(const std::vector<double>& losses) {
  double sum = 0;
  for (const double loss : losses) sum += loss;
  return sum / static_cast<double>(losses.size());
}

HeldOutLosses::HeldOutLosses(const Method& method, const TuningOptions& options, const DenseSet& train,
                             std::vector<Fold> folds, std::uint64_t seed, std::size_t threads,
                             const TuningRecord& record)
    : method_(method),
      options_(options),
      train_(train),
      folds_(std::move(folds)),
      seed_(seed),
      threads_(threads),
      record_(record) {}

double HeldOutLosses::radius(const GridPoint& point) const { return value(options_.radii, point.radius); }

std::string HeldOutLosses::step(const GridPoint& point) const {
  if (!has_step(method_.learner.algorithm)) return {};
  return fmt::format("{}{}", options_.step_prefix, value(options_.steps, point.step));
}

Result<std::string> HeldOutLosses::candidate(const GridPoint& point) const {
  const auto method = with_choice(method_, {radius(point), step(point), {}, {}, 0});
  if (!method) return method.error();
  return describe(*method);
}

Status HeldOutLosses::compute(const std::vector<GridPoint>& points, bool expected) {
  const std::size_t runs = folds_.size() * options_.repeats;
  std::vector<GridPoint> missing;
  std::vector<std::string> names;
  for (const GridPoint& point : points) {
    if (known_.contains(point)) continue;
    if (record_.progress != nullptr && !expected) record_.progress->expect(runs);
    const auto name = candidate(point);
    if (!name) return name.error();
    if (record_.kept != nullptr) {
      if (const auto losses = record_.kept->find(*name, 1)) {
        known_[point] = losses->front();
        if (record_.progress != nullptr) record_.progress->skip(runs);
        continue;
      }
    }
    missing.push_back(point);
    names.push_back(*name);
  }
  std::vector<std::vector<double>> losses(missing.size(), std::vector<double>(runs));
  std::vector<std::atomic<std::size_t>> done(missing.size());
  const Status status = parallel_for(missing.size() * runs, threads_, [&](std::size_t i) -> Status {
    const std::size_t p = i / runs;
    if (const Status ran = run(missing[p], i % runs, losses[p][i % runs]); !ran) return ran;
    if (record_.progress != nullptr) record_.progress->advance();
    if (++done[p] < runs || record_.kept == nullptr) return {};
    return record_.kept->put(names[p], {mean(losses[p])});
  });
  if (!status) return status;
  for (std::size_t p = 0; p < missing.size(); ++p) known_[missing[p]] = mean(losses[p]);
  return {};
}

std::pair<GridPoint, double> HeldOutLosses::best() const {
  auto best = known_.begin();
  for (auto it = known_.begin(); it != known_.end(); ++it)
    if (it->second < best->second) best = it;
  return *best;
}

// Folds share most of their rows; draws of their own keep one unlucky beginning out of the others.
Status HeldOutLosses::run(const GridPoint& point, std::size_t run, double& loss) const {
  const Fold& fold = folds_[run % folds_.size()];
  const std::uint64_t draws = Random(seed_ + run).bits();
  const auto method = with_choice(method_, {radius(point), step(point), {}, {}, 0});
  if (!method) return method.error();
  const std::size_t all = fold.train.size();
  return run_method(*method, train_, fold.train, std::span(&all, 1), draws, [&](const Snapshot& snapshot) {
    // What is left of a model that refused most examples may be near 0 and look harmless.
    loss = snapshot.counts.mostly_diverged() ? std::numeric_limits<double>::infinity()
                                             : evaluate(snapshot.model, train_, fold.held_out).loss_ratio;
  });
}

}  // namespace glimpse
