#include "stats/pair_moments.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <string>

namespace glimpse {

namespace {
constexpr std::size_t kDoublesATotal = sizeof(TargetSums::Total) / sizeof(double);
constexpr double kLeastWeight = 1e-120;  // of what was not forgotten, with examples of 1e-30 or more
}  // namespace

void TargetSums::grow(std::size_t count) {
  while (cells_.size() < count) {
    totals_.resize(size() + 1);  // first: size() is that of cells_
    cells_.emplace_back(dimension_);
  }
}

void TargetSums::add(std::size_t target, std::span<const Attribute> seen, std::span<const double> offsets,
                     std::size_t half, double weight) {
  totals_[target].sum += weight;
  totals_[target].square += weight;
  std::vector<Cell>& row = cells_[target];
  for (std::size_t a = 0; a < seen.size(); ++a) {
    Cell& cell = row[seen[a]];
    cell.label[half] += weight;
    cell.product[half] += weight * offsets[a];
  }
}

void TargetSums::decay(double factor) {
  for (std::size_t t = 0; t < size(); ++t) {
    const double kept = totals_[t].sum * factor < kLeastWeight ? 0 : factor;
    totals_[t].sum *= kept;
    totals_[t].square *= kept;
    for (Cell& cell : cells_[t]) cell = cell * kept;
  }
}

void TargetSums::forget_attribute(std::size_t i) {
  for (std::vector<Cell>& row : cells_) row[i] = Cell();
}

// With u = u' + δ: Σ u·v = Σ u'·v + δ·Σ v.
void TargetSums::merge(const TargetSums& other, double ratio, std::span<const double> offsets) {
  grow(other.size());
  for (std::size_t t = 0; t < other.size(); ++t) {
    totals_[t].sum += ratio * other.totals_[t].sum;
    totals_[t].square += ratio * other.totals_[t].square;
    for (std::size_t i = 0; i < dimension_; ++i) {
      Cell& ours = cells_[t][i];
      const Cell& theirs = other.cells_[t][i];
      for (std::size_t h = 0; h < 2; ++h) {
        ours.label[h] += ratio * theirs.label[h];
        ours.product[h] += ratio * (theirs.product[h] + offsets[i] * theirs.label[h]);
      }
    }
  }
}

void TargetSums::save(State& state, const std::string& name) const {
  if (cells_.empty()) return;
  const auto cells = state.put<double>(name + ".targets", size() * dimension_ * kDoublesACell);
  for (std::size_t t = 0; t < size() && dimension_ > 0; ++t)
    std::memcpy(cells.data() + t * dimension_ * kDoublesACell, cells_[t].data(), dimension_ * kBytesACell);
  const auto totals = state.put<double>(name + ".target_totals", size() * kDoublesATotal);
  std::memcpy(totals.data(), totals_.data(), totals.size_bytes());
}

Status TargetSums::restore(const State& state, const std::string& name) {
  cells_.clear();
  totals_.clear();
  if (state.find(name + ".target_totals") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto totals, state.get<double>(name + ".target_totals", State::kAnyCount));
  const std::size_t count = totals.size() / kDoublesATotal;
  if (totals.size() != count * kDoublesATotal)
    return failure(ErrorCode::kCorrupt, "{}.target_totals has {} numbers, must have two of each target", name,
                   totals.size());
  GLIMPSE_TRY_ASSIGN(const auto cells,
                     state.get<double>(name + ".targets", count * dimension_ * kDoublesACell));
  grow(count);
  if (count > 0) std::memcpy(static_cast<void*>(totals_.data()), totals.data(), totals.size_bytes());
  for (std::size_t t = 0; t < count && dimension_ > 0; ++t)
    std::memcpy(static_cast<void*>(cells_[t].data()), cells.data() + t * dimension_ * kDoublesACell,
                dimension_ * kBytesACell);
  return {};
}

namespace {
double mean_square(double weight, double sum, double square) {
  if (!(weight > 0)) return 0;
  const double mean = sum / weight;
  return std::max(square / weight - mean * mean, 0.0);
}

// Into the second cache: the cells of 57 attributes would drive each other out of the first.
void prefetch_second(const void* address) { __builtin_prefetch(address, 0, 1); }

constexpr double kLargestUnit = 0x1p100;
constexpr double kForgotten = 0x1p-64;  // of all examples remembered
}  // namespace

AttributeSums AttributeSums::operator*(double factor) const {
  AttributeSums s = *this;
  s.square *= factor;
  s.cube *= factor;
  s.fourth *= factor;
  s.largest *= std::sqrt(factor);
  for (Half& h : s.halves) {
    h.weight *= factor;
    h.sum *= factor;
    h.label *= factor;
    h.product *= factor;
  }
  return s;
}

double AttributeSums::variance() const { return mean_square(weight(), sum(), square); }
double LabelSums::variance() const { return mean_square(weight, sum, square); }

PairMoments::PairMoments(std::size_t dimension)
    : pairs_(dimension * (dimension - 1) / 2), attributes_(dimension), targets_(dimension) {}

PairMoments::PairMoments(std::size_t dimension, const PairMoments& pairs)
    : shared_(&pairs), attributes_(dimension), targets_(dimension) {}

LabelSums PairMoments::target(std::size_t target) const {
  const TargetSums::Total& total = targets_.total(target);
  return {0, label_.weight * scale_, total.sum * scale_, total.square * scale_};
}

std::uint64_t PairMoments::largest_dimension(std::uint64_t bytes) {
  auto d = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(bytes) / 16)) + 2;
  while (d > 1 && memory_bytes(d) > bytes) --d;
  return d;
}

double PairMoments::evenness() const {
  constexpr double kRounding = 1e-9;
  const double share = label_.weight / counted_ * (label_.weight / squared_);
  if (!(share < 1 - kRounding)) return 1;  // or NaN, before the first example
  const double mean = label_.weight / counted_;
  return mean > 1 ? share * std::pow(mean, std::pow(share, 16) - 1) : share;
}

double PairMoments::examples_a_weight() const {
  const double examples = label_.weight / squared_;
  return examples > 0 && std::isfinite(examples) ? examples : 1;
}

void PairMoments::prefetch_pairs(std::span<const Attribute> attributes) const {
  const bool later = shared_ != nullptr ||  // the one whose they are does it
                     PairBatch::is_worthwhile(dimension(), attributes.size());
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    prefetch(&attributes_[attributes[a]]);
    prefetch(&attributes_[attributes[a]].halves[1]);
    if (later) continue;
    const std::size_t row = pair_row(attributes[a], dimension());
    for (std::size_t b = a + 1; b < attributes.size(); ++b) prefetch_second(&pairs_[row + attributes[b]]);
  }
}

void PairMoments::add(std::span<const Attribute> attributes, std::span<const double> values, double label,
                      double weight) {
  counted_ += unit_;
  squared_ += unit_ * (weight * weight);
  weight *= unit_;
  const std::size_t half = examples_++ & 1;
  if (!(label_.weight > 0)) label_.reference = label;
  const double v = label - label_.reference;
  label_.weight += weight;
  label_.sum += weight * v;
  label_.square += weight * v * v;
  seen_.clear();
  offsets_.clear();
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    if (std::isnan(values[a])) continue;
    AttributeSums& s = attributes_[attributes[a]];
    if (!(s.weight() > 0)) s.reference = values[a];
    const double u = values[a] - s.reference;
    s.largest = std::max(s.largest, std::abs(values[a]) * root_unit_);
    s.square += weight * u * u;
    s.cube += weight * u * u * u;
    s.fourth += weight * u * u * u * u;
    s.halves[half].weight += weight;
    s.halves[half].sum += weight * u;
    s.halves[half].label += weight * v;
    s.halves[half].product += weight * u * v;
    seen_.push_back(attributes[a]);
    offsets_.push_back(u);
  }
  if (shared_ != nullptr) return;
  if (!PairBatch::is_worthwhile(dimension(), seen_.size())) {
    settle();
    add_to_pairs_(pairs_.data(), dimension(), seen_, offsets_, weight);
    return;
  }
  batch_.keep(seen_, offsets_, weight, pairs_.data(), dimension(), at_once_);
}

// Where the references differ, the other's sums are moved to ours first: with u' = u + δ.
void PairMoments::merge(const PairMoments& other) {
  if (!(other.label_.weight > 0)) return;
  if (!(label_.weight > 0)) return copy_from(other);
  settle();
  const std::size_t d = dimension();
  const double ratio = unit_ / other.unit_;  // the largest values of `theirs` are in our units as well
  for (std::size_t i = 0; shared_ == nullptr && i + 1 < d; ++i) {
    for (std::size_t j = i + 1; j < d; ++j) {
      const PairSums theirs = other.cell(i, j) * ratio;
      if (!(theirs.weight > 0)) continue;
      // An attribute that we have never seen takes their reference below.
      const auto offset = [&](std::size_t k) {
        return attributes_[k].weight() > 0 ? other.attributes_[k].reference - attributes_[k].reference : 0.0;
      };
      const double di = offset(i);
      const double dj = offset(j);
      PairSums& ours = pairs_[pair_row(i, d) + j];
      ours.weight += theirs.weight;
      ours.first += theirs.first + theirs.weight * di;
      ours.second += theirs.second + theirs.weight * dj;
      ours.product += theirs.product + dj * theirs.first + di * theirs.second + theirs.weight * di * dj;
    }
  }
  const double dv = other.label_.reference - label_.reference;
  std::vector<double> offsets(d);
  for (std::size_t i = 0; i < d; ++i) {
    AttributeSums& ours = attributes_[i];
    const AttributeSums theirs = other.attributes_[i] * ratio;
    if (!(theirs.weight() > 0)) continue;
    if (!(ours.weight() > 0)) ours.reference = theirs.reference;
    const double du = offsets[i] = theirs.reference - ours.reference;
    const double n = theirs.weight();
    ours.square += theirs.square + 2 * du * theirs.sum() + n * du * du;
    ours.cube += theirs.cube + 3 * du * theirs.square + 3 * du * du * theirs.sum() + n * du * du * du;
    ours.fourth += theirs.fourth + 4 * du * theirs.cube + 6 * du * du * theirs.square +
                   4 * du * du * du * theirs.sum() + n * du * du * du * du;
    ours.largest = std::max(ours.largest, theirs.largest);
    for (std::size_t h = 0; h < 2; ++h) {
      AttributeSums::Half& a = ours.halves[h];
      const AttributeSums::Half& b = theirs.halves[h];
      a.product += b.product + dv * b.sum + du * b.label + b.weight * du * dv;
      a.sum += b.sum + b.weight * du;
      a.label += b.label + b.weight * dv;
      a.weight += b.weight;
    }
  }
  targets_.merge(other.targets_, ratio, offsets);
  const LabelSums their_label = other.label_ * ratio;
  label_.square += their_label.square + 2 * dv * their_label.sum + their_label.weight * dv * dv;
  label_.sum += their_label.sum + their_label.weight * dv;
  label_.weight += their_label.weight;
  counted_ += other.counted_ * ratio;
  squared_ += other.squared_ * ratio;
  examples_ += other.examples_;
}

// An indicator is about 0, an attribute's values about the reference that they have.
void PairMoments::label_by_target(std::size_t target) {
  const bool is_there = target < targets_.size();
  const TargetSums::Total total = is_there ? targets_.total(target) : TargetSums::Total();
  label_.reference = 0;
  label_.sum = total.sum;
  label_.square = total.square;
  for (std::size_t i = 0; i < dimension(); ++i) {
    const TargetSums::Cell cell = is_there ? targets_.cell(i, target) : TargetSums::Cell();
    for (std::size_t h = 0; h < 2; ++h) {
      attributes_[i].halves[h].label = cell.label[h];
      attributes_[i].halves[h].product = cell.product[h];
    }
  }
}

void PairMoments::decay(double factor) {
  settle();
  const double least = kForgotten * label_.weight;
  for (PairSums& s : pairs_) s = s.weight < least ? PairSums{} : s * factor;
  targets_.decay(factor);
  for (std::size_t i = 0; i < dimension(); ++i) {
    AttributeSums& s = attributes_[i];
    if (s.weight() < least) targets_.forget_attribute(i);
    s = s.weight() < least ? AttributeSums() : s * factor;
  }
  label_ = label_ * factor;
  counted_ *= factor;
  squared_ *= factor;
}

void PairMoments::forget_attribute(std::size_t i) {
  settle();
  const std::size_t d = dimension();
  attributes_[i] = AttributeSums();
  targets_.forget_attribute(i);
  if (shared_ != nullptr) return;
  for (std::size_t j = 0; j < i; ++j) pairs_[pair_row(j, d) + i] = PairSums{};
  for (std::size_t j = i + 1; j < d; ++j) pairs_[pair_row(i, d) + j] = PairSums{};
}

void PairMoments::set_unit(double unit) {
  unit_ = unit;
  scale_ = 1 / unit;
  root_unit_ = std::sqrt(unit);
  root_scale_ = std::sqrt(scale_);
}

bool PairMoments::forgets_by_rewriting(double factor) const {
  return factor < 1 / kLargestUnit || unit_ / factor > kLargestUnit;
}

void PairMoments::forget(double factor) {
  if (factor < 1 / kLargestUnit) return decay(factor);
  double unit = unit_ / factor;
  if (unit > kLargestUnit) {
    const int exponent = std::ilogb(unit) / 2 * 2;  // its root is a power of two as well
    unit = std::ldexp(unit, -exponent);
    decay(std::ldexp(1, -exponent));
  }
  set_unit(unit);
}

void PairMoments::copy_from(const PairMoments& other) {
  other.settle();
  batch_.clear();
  std::copy(other.pairs_.begin(), other.pairs_.end(), pairs_.begin());
  std::copy(other.attributes_.begin(), other.attributes_.end(), attributes_.begin());
  targets_ = other.targets_;
  label_ = other.label_;
  counted_ = other.counted_;
  squared_ = other.squared_;
  examples_ = other.examples_;
  set_unit(other.unit_);
}

namespace {
constexpr std::size_t kDoublesAPair = sizeof(PairSums) / sizeof(double);
constexpr std::size_t kDoublesAnAttribute = sizeof(AttributeSums) / sizeof(double);
static_assert(kDoublesAPair == 4 && kDoublesAnAttribute == 13);

// The names of parts, without memory of their own.
class PartName {
 public:
  explicit PartName(std::string_view name) : name_(name) {}
  std::string_view operator()(const char* part) {
    const auto end = fmt::format_to_n(text_.data(), text_.size(), "{}.{}", name_, part).out;
    return {text_.data(), end};
  }

 private:
  std::string_view name_;
  std::array<char, 64> text_;
};
}  // namespace

void PairMoments::save(State& state, std::string_view name) const {
  PartName named(name);
  settle();
  const auto write = [&](const char* what, const auto& array, std::size_t each) {
    const auto room = state.put<double>(named(what), array.size() * each);
    if (!array.empty()) std::memcpy(room.data(), array.data(), array.size() * each * sizeof(double));
  };
  if (shared_ == nullptr) write("sums", pairs_, kDoublesAPair);
  write("attributes", attributes_, kDoublesAnAttribute);
  const double label[] = {label_.reference, label_.weight, label_.sum, label_.square};
  state.put_copy<double>(named("label"), label);
  state.put_number(named("examples"), examples_);
  state.put_number(named("unit"), unit_);
  targets_.save(state, std::string(name));
  if (counted_ == label_.weight && squared_ == label_.weight) return;  // every importance was 1
  state.put_number(named("counted"), counted_);
  state.put_number(named("squared"), squared_);
}

Status PairMoments::restore(const State& state, std::string_view name) {
  PartName named(name);
  GLIMPSE_TRY_ASSIGN(const auto pairs, shared_ != nullptr
                                           ? Result<std::span<const double>>(std::span<const double>())
                                           : state.get<double>(named("sums"), pairs_.size() * kDoublesAPair));
  GLIMPSE_TRY_ASSIGN(const auto attributes,
                     state.get<double>(named("attributes"), attributes_.size() * kDoublesAnAttribute));
  GLIMPSE_TRY_ASSIGN(const auto label, state.get<double>(named("label"), 4));
  GLIMPSE_TRY_ASSIGN(const auto examples, state.get_number<std::uint64_t>(named("examples")));
  const auto unit =
      state.get_number<double>(named("unit"), 1.0);  // checkpoints from before forget() have none
  if (!unit) return unit.error();
  if (!(*unit >= 1 && *unit <= kLargestUnit))
    return failure(ErrorCode::kCorrupt, "{} is {}, must be from 1 to 2^100", named("unit"), *unit);
  GLIMPSE_TRY_ASSIGN(const auto counted, state.get_number<double>(named("counted"), label[1]));
  GLIMPSE_TRY_ASSIGN(const auto squared, state.get_number<double>(named("squared"), label[1]));
  if (!(counted >= 0 && squared >= 0))
    return failure(ErrorCode::kCorrupt, "{0}.counted is {1} and {0}.squared {2}, must be 0 or more", name,
                   counted, squared);
  GLIMPSE_TRY(targets_.restore(state, std::string(name)));
  targets_.decay(1);  // those of earlier builds became any smaller
  batch_.clear();
  if (!pairs_.empty()) std::memcpy(static_cast<void*>(pairs_.data()), pairs.data(), pairs.size_bytes());
  if (!attributes_.empty())
    std::memcpy(static_cast<void*>(attributes_.data()), attributes.data(), attributes.size_bytes());
  for (std::size_t i = 0; i < attributes_.size(); ++i)
    if (const double weight = attributes_[i].weight(); weight != 0 && !(weight >= kLeastWeight))
      return failure(ErrorCode::kCorrupt, "{} gives attribute {} a weight of {}, must be 0 or at least {}",
                     named("attributes"), i, weight, kLeastWeight);
  label_ = {label[0], label[1], label[2], label[3]};
  counted_ = counted;
  squared_ = squared;
  examples_ = examples;
  set_unit(*unit);
  return {};
}

}  // namespace glimpse
