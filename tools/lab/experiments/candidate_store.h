#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/results/job_store.h"

namespace glimpse {

/// Held-out losses of the candidates of one choice while it is being made, so that an interrupted
/// cross-validation loses no more than what was being computed. Once the choice itself is kept they are of no
/// more use: clear(). Thread-safe.
class CandidateStore {
 public:
  /// `name` is the beginning of the files' names; `key` is what decides losses beside the candidate: data,
  /// rows, folds, seed. `store` must outlive this.
  CandidateStore(const JobStore& store, std::string name, std::string key);

  /// The losses that were put for a candidate, if `count` of them were.
  std::optional<std::vector<double>> find(const std::string& candidate, std::size_t count);
  /// Losses may be infinite.
  Status put(const std::string& candidate, const std::vector<double>& losses);
  /// Removes what was found or put.
  Status clear();

 private:
  std::string key_of(const std::string& candidate) const;

  const JobStore& store_;
  const std::string name_;
  const std::string key_;
  std::mutex mutex_;  // protects the keys
  std::vector<std::string> keys_;
};

}  // namespace glimpse
