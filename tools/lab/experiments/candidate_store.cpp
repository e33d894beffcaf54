#include "lab/experiments/candidate_store.h"

#include <cmath>
#include <fmt/ranges.h>
#include <utility>

#include "base/numbers.h"

namespace glimpse {

CandidateStore::CandidateStore(const JobStore& store, std::string name, std::string key)
    : store_(store), name_(std::move(name)), key_(std::move(key)) {}

std::string CandidateStore::key_of(const std::string& candidate) const {
  return fmt::format("{}\ncandidate\n{}", key_, candidate);
}

std::optional<std::vector<double>> CandidateStore::find(const std::string& candidate, std::size_t count) {
  const std::string key = key_of(candidate);
  const auto kept = store_.find(name_, key);
  if (!kept) return std::nullopt;
  std::vector<double> losses;
  for (std::string_view left = *kept; !left.empty(); left.remove_prefix(1)) {
    const auto loss = take_number<double>(left);  // infinite for a candidate that diverged
    if (!loss || !left.starts_with('\n') || std::isnan(*loss)) return std::nullopt;
    losses.push_back(*loss);
  }
  if (losses.size() != count) return std::nullopt;
  const std::lock_guard lock(mutex_);
  keys_.push_back(key);
  return losses;
}

Status CandidateStore::put(const std::string& candidate, const std::vector<double>& losses) {
  const std::string key = key_of(candidate);
  if (const Status status = store_.put_unsynced(name_, key, fmt::format("{}\n", fmt::join(losses, "\n")));
      !status)
    return status;
  const std::lock_guard lock(mutex_);
  keys_.push_back(key);
  return {};
}

Status CandidateStore::clear() {
  const std::lock_guard lock(mutex_);
  for (const std::string& key : keys_)
    if (const Status status = store_.remove(name_, key); !status) return status;
  keys_.clear();
  return {};
}

}  // namespace glimpse
