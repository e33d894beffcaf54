#include "learn/classes/class_report.h"

#include <algorithm>
#include <cmath>

#include "learn/classes/class_scores.h"

namespace glimpse {

void ClassReport::make_room(std::size_t classes) {
  const std::size_t wanted = std::min(classes, kMostConfused);
  if (wanted <= confused_) return;
  std::vector<std::uint64_t> wider((wanted + 1) * (wanted + 1));
  const auto place = [&](std::size_t c) { return c < confused_ ? c : wanted; };  // all others stay the last
  for (std::size_t a = 0; a <= confused_; ++a)
    for (std::size_t p = 0; p <= confused_; ++p) wider[place(a) * (wanted + 1) + place(p)] = confusion(a, p);
  confusion_ = std::move(wider);
  confused_ = wanted;
}

double ClassReport::add(std::span<const double> probabilities, std::optional<std::size_t> of_class) {
  const std::size_t classes = probabilities.size();
  make_room(classes);
  const std::size_t predicted = classes > 0 ? greatest(probabilities) : classes;
  const bool is_known = of_class && *of_class < classes;
  const bool is_right = is_known && *of_class == predicted;
  const double own = is_known ? probabilities[*of_class] : 0;
  double squares = (1 - own) * (1 - own) - own * own;
  for (const double p : probabilities) squares += p * p;
  wrong_.add(is_right ? 0 : 1);
  log_loss_.add(-std::log(std::max(own, kLeastProbability)));
  brier_.add(squares);
  const auto row = [&](std::size_t c) { return std::min(c, confused_); };
  ++confusion_[row(is_known ? *of_class : confused_) * (confused_ + 1) +
               row(classes > 0 ? predicted : confused_)];
  if (classes == 0) return squares;
  const double most = probabilities[predicted];
  Bin& bin = bins_[std::min(static_cast<std::size_t>(most * kBins), kBins - 1)];
  ++bin.count;
  bin.right += is_right ? 1 : 0;
  bin.probabilities += most;
  return squares;
}

void ClassReport::merge(const ClassReport& other, std::span<const std::uint32_t> codes) {
  const auto own = [&](std::size_t c) -> std::size_t { return c < codes.size() ? codes[c] : c; };
  std::size_t classes = confused_;
  for (std::size_t c = 0; c < other.confused_; ++c) classes = std::max(classes, own(c) + 1);
  make_room(classes);
  const auto place = [&](std::size_t c) {
    return c < other.confused_ ? std::min(own(c), confused_) : confused_;
  };
  for (std::size_t a = 0; a <= other.confused_; ++a)
    for (std::size_t p = 0; p <= other.confused_; ++p)
      confusion_[place(a) * (confused_ + 1) + place(p)] += other.confusion(a, p);
  wrong_.merge(other.wrong_);
  log_loss_.merge(other.log_loss_);
  brier_.merge(other.brier_);
  for (std::size_t b = 0; b < kBins; ++b) {
    bins_[b].count += other.bins_[b].count;
    bins_[b].right += other.bins_[b].right;
    bins_[b].probabilities += other.bins_[b].probabilities;
  }
}

double ClassReport::Bin::share_error() const {
  if (count == 0) return std::nan("");
  const double n = static_cast<double>(count) + 2;
  const double share = (static_cast<double>(right) + 1) / n;
  return std::sqrt(share * (1 - share) / n);
}

double ClassReport::calibration_error() const {
  double sum = 0;
  double all = 0;
  for (const Bin& bin : bins_) {
    if (bin.count == 0) continue;
    const auto n = static_cast<double>(bin.count);
    sum += n * std::abs(bin.mean_probability() - bin.share_right());
    all += n;
  }
  return sum / all;
}

void ClassReport::save(State& state, const std::string& name) const {
  wrong_.save(state, name + ".wrong");
  log_loss_.save(state, name + ".log_loss");
  brier_.save(state, name + ".brier");
  const auto counts = state.put<std::uint64_t>(name + ".bins", 2 * kBins);
  for (std::size_t b = 0; b < kBins; ++b) {
    counts[2 * b] = bins_[b].count;
    counts[2 * b + 1] = bins_[b].right;
  }
  const auto sums = state.put<double>(name + ".bin_sums", kBins);
  for (std::size_t b = 0; b < kBins; ++b) sums[b] = bins_[b].probabilities;
  state.put_copy<std::uint64_t>(name + ".confusion", confusion_);
}

Status ClassReport::restore(const State& state, const std::string& name) {
  *this = ClassReport();
  if (state.find(name + ".bins") == nullptr) return {};
  if (const Status status = wrong_.restore(state, name + ".wrong"); !status) return status;
  if (const Status status = log_loss_.restore(state, name + ".log_loss"); !status) return status;
  if (const Status status = brier_.restore(state, name + ".brier"); !status) return status;
  const auto counts = state.get<std::uint64_t>(name + ".bins", 2 * kBins);
  if (!counts) return counts.error();
  const auto sums = state.get<double>(name + ".bin_sums", kBins);
  if (!sums) return sums.error();
  for (std::size_t b = 0; b < kBins; ++b) bins_[b] = {(*counts)[2 * b], (*counts)[2 * b + 1], (*sums)[b]};
  const auto confusion = state.get<std::uint64_t>(name + ".confusion");
  if (!confusion) return confusion.error();
  std::size_t side = 1;
  while (side * side < confusion->size() && side <= kMostConfused) ++side;
  if (side * side != confusion->size())
    return failure(ErrorCode::kCorrupt, "{}.confusion has {} numbers: no square of 1 to {}", name,
                   confusion->size(), kMostConfused + 1);
  confusion_.assign(confusion->begin(), confusion->end());
  confused_ = side - 1;
  return {};
}

}  // namespace glimpse
