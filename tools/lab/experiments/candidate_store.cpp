#include "lab/experiments/candidate_store.h"

#include <cmath>
#include <fast_float/fast_float.h>
#include <fmt/ranges.h>
#include <utility>

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
  const char* at = kept->data();
  const char* const end = at + kept->size();
  while (at != end) {
    double loss = 0;
    // Not read_number(), which refuses the infinite loss of a candidate that diverged.
    const auto [after, error] = fast_float::from_chars(at, end, loss);
    if (error != std::errc() || after == end || *after != '\n' || std::isnan(loss)) return std::nullopt;
    losses.push_back(loss);
    at = after + 1;
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
