#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/state.h"
#include "stats/progressive_loss.h"

namespace glimpse {

/// Of several labels: how well those behind the first were predicted for labelled records that are not
/// learned from. Thread-safety: that of a value type.
class LabelLosses {
 public:
  struct Report {
    ProgressiveLoss::Part loss;
    ProgressiveLoss::Part recent;
  };

  /// A record was predicted with this squared error; `label` from 1.
  void add(std::size_t label, double loss) {
    if (losses_.size() < label) losses_.resize(label);
    losses_[label - 1].add(loss);
  }
  std::vector<Report> report() const {
    std::vector<Report> reports;
    for (const ProgressiveLoss& loss : losses_) reports.push_back({loss.total(), loss.recent()});
    return reports;
  }

  /// Under names that begin with `name`; nothing where there are none.
  void save(State& state, const std::string& name) const;
  /// Errors: kCorrupt.
  Status restore(const State& state, const std::string& name);

 private:
  std::vector<ProgressiveLoss> losses_;
};

}  // namespace glimpse
