#include "lab/sweeps/sweep_summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace glimpse {

namespace {

double quotient(double loss, double other) {
  constexpr double kLeastLoss = 1e-9;
  return std::max(loss, kLeastLoss) / std::max(other, kLeastLoss);
}

using RowsOfCell = std::vector<const SweepRow*>;

CellForm form_of(const RowsOfCell& rows, double AnswerLoss::* form, const std::vector<double>& factors,
                 SweepReference reference) {
  const auto n = static_cast<double>(rows.size());
  const auto reference_of = [&](const SweepRow& row) {
    return reference == SweepReference::kPrefixMean ? row.prefix_mean : 1;
  };
  CellForm cell;
  double mean_predictor = 0;
  double offline = 0;
  bool has_offline = true;
  std::vector<double> trials(factors.size());
  bool has_trials = !factors.empty();
  for (const SweepRow* row : rows) {
    cell.loss += row->loss.*form / n;
    mean_predictor += reference_of(*row) / n;
    cell.worst = std::max(cell.worst, quotient(row->loss.*form, reference_of(*row)));
    has_offline = has_offline && row->offline.has_value();
    if (row->offline) offline += *row->offline.*form / n;
    has_trials = has_trials && row->trials.size() == factors.size();
    for (std::size_t f = 0; has_trials && f < factors.size(); ++f) trials[f] += row->trials[f].*form / n;
  }
  cell.over_mean = quotient(cell.loss, mean_predictor);
  double squares = 0;
  for (const SweepRow* row : rows) {
    const double distance = row->loss.*form / mean_predictor - cell.loss / mean_predictor;
    squares += distance * distance;
  }
  cell.error = rows.size() > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
  if (has_offline) cell.over_offline = quotient(cell.loss, offline);
  if (has_trials) {
    const auto best = std::min_element(trials.begin(), trials.end());
    cell.best_factor = factors[static_cast<std::size_t>(best - trials.begin())];
    cell.over_best = quotient(cell.loss, *best);
  }
  return cell;
}

// The geometric mean of numbers that are added.
class GeometricMean {
 public:
  void add(double value) {
    sum_ += std::log(value);
    ++count_;
  }
  std::optional<double> value() const {
    if (count_ == 0) return std::nullopt;
    return std::exp(sum_ / static_cast<double>(count_));
  }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

SweepGroup group_of(const std::vector<const SweepCell*>& cells, FormOfCell form) {
  SweepGroup group;
  GeometricMean over_mean;
  GeometricMean over_best;
  GeometricMean over_offline;
  for (const SweepCell* cell : cells) {
    const CellForm& answers = cell->*form;
    ++group.cells;
    over_mean.add(answers.over_mean);
    if (answers.over_best) over_best.add(*answers.over_best);
    if (answers.over_offline) over_offline.add(*answers.over_offline);
    group.harmful += answers.over_mean > kHarmful ? 1 : 0;
    group.very_harmful += answers.over_mean > kVeryHarmful ? 1 : 0;
    group.worst = std::max(group.worst, answers.over_mean);
  }
  group.over_mean = *over_mean.value();
  group.over_best = over_best.value();
  group.over_offline = over_offline.value();
  return group;
}

}  // namespace

Result<SweepReference> parse_reference(std::string_view text) {
  if (text == "training") return SweepReference::kTrainingMean;
  if (text == "prefix") return SweepReference::kPrefixMean;
  return failure(ErrorCode::kInvalidOption, "--mean-of {}: must be training or prefix", text);
}

std::vector<SweepCell> cells_of(const std::vector<SweepRow>& rows, const std::vector<double>& factors,
                                SweepReference reference) {
  using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::uint64_t>;
  std::map<Key, std::size_t> known;
  std::vector<RowsOfCell> cells;
  for (const SweepRow& row : rows) {
    const auto [place, is_new] =
        known.try_emplace({row.set, row.learner, row.budget, row.examples}, cells.size());
    if (is_new) cells.emplace_back();
    cells[place->second].push_back(&row);
  }
  std::vector<SweepCell> result;
  for (const RowsOfCell& of : cells) {
    const SweepRow& first = *of.front();
    SweepCell cell;
    cell.set = first.set;
    cell.learner = first.learner;
    cell.budget = first.budget;
    cell.prefix = first.prefix;
    cell.dimension = first.dimension;
    cell.attributes_each = first.attributes_each;
    cell.examples = first.examples;
    cell.seeds = of.size();
    for (const SweepRow* row : of)
      cell.attributes += static_cast<double>(row->attributes) / static_cast<double>(of.size());
    cell.exported = form_of(of, &AnswerLoss::exported, factors, reference);
    cell.clipped = form_of(of, &AnswerLoss::clipped, factors, reference);
    result.push_back(std::move(cell));
  }
  return result;
}

std::vector<SweepGroup> groups_of(const std::vector<SweepCell>& cells, FormOfCell form,
                                  const std::function<std::string(const SweepCell&)>& key) {
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  std::vector<std::vector<const SweepCell*>> members;
  for (const SweepCell& cell : cells) {
    const auto [place, is_new] = known.try_emplace({cell.learner, key(cell)}, members.size());
    if (is_new) members.emplace_back();
    members[place->second].push_back(&cell);
  }
  std::vector<SweepGroup> groups;
  for (const auto& of : members) {
    groups.push_back(group_of(of, form));
    groups.back().learner = of.front()->learner;
    groups.back().key = key(*of.front());
  }
  return groups;
}

std::vector<const SweepCell*> worst_cells(const std::vector<SweepCell>& cells, FormOfCell form, double bound,
                                          std::size_t count) {
  std::vector<const SweepCell*> worst;
  for (const SweepCell& cell : cells)
    if (cell.learner != kOfflineRidge && (cell.*form).over_mean > bound) worst.push_back(&cell);
  // By hand stable: std::stable_sort of GCC 12 uses what C++20 deprecates.
  std::sort(worst.begin(), worst.end(), [&](const SweepCell* a, const SweepCell* b) {
    const double of_a = (a->*form).over_mean;
    const double of_b = (b->*form).over_mean;
    return of_a != of_b ? of_a > of_b : a < b;
  });
  worst.resize(std::min(worst.size(), count));
  return worst;
}

}  // namespace glimpse
