#include "learn/covariance/attribute_screen.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace glimpse {

namespace {

constexpr std::size_t kLargestSample = std::size_t{1} << 18;  // attributes that π is fitted to
constexpr int kIterations = 20;                               // of EM a fit; the next one goes on from there
constexpr double kNullCount = 10;    // attributes that explain nothing, in addition to those there are
constexpr double kLevelCount = 0.1;  // attributes of each other level
constexpr std::size_t kDoubles = 7;
constexpr std::size_t kClassDoubles = 2;
constexpr std::size_t kDerived = 2;  // classes whose sums follow from the others
constexpr double kLargestUnit = 0x1p100;
constexpr double kForgotten = 0x1p-64;  // of all examples remembered

// τ_0 = 0, τ_g = 4^(1−g): from ρ² = 1 to one in 260,000.
constexpr std::array<double, AttributeScreen::kLevels> kVariances = [] {
  std::array<double, AttributeScreen::kLevels> variances{};
  double variance = 1;
  for (std::size_t g = 1; g < variances.size(); ++g, variance /= 4) variances[g] = variance;
  return variances;
}();

}  // namespace

AttributeScreen::AttributeScreen(std::size_t dimension) : sums_(dimension) {
  static_assert(sizeof(Sums) == kBytesAnAttribute && kDoubles * sizeof(double) == sizeof(Sums));
  static_assert(kClassDoubles * sizeof(double) == sizeof(ClassSums));
  shares_.fill(1.0 / kLevels);
}

void AttributeScreen::add(std::span<const Attribute> attributes, std::span<const double> values, double label,
                          double weight) {
  weight *= unit_;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    const double x = values[a];
    if (std::isnan(x)) continue;
    Sums& s = sums_[attributes[a]];
    if (!(s.weight > 0)) s.reference = x;
    const double u = x - s.reference;
    s.weight += weight;
    s.sum += weight * u;
    s.square += weight * u * u;
    s.label += weight * label;
    s.product += weight * u * label;
    s.largest = std::max(s.largest, std::abs(x) * root_unit_);
  }
}

void AttributeScreen::add_to_class(std::span<const Attribute> attributes, std::span<const double> values,
                                   std::size_t of_class, double weight) {
  if (of_class < kDerived) return;
  while (classes_.size() + kDerived <= of_class) classes_.emplace_back(dimension());
  std::vector<ClassSums>& row = classes_[of_class - kDerived];
  weight *= unit_;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    if (std::isnan(values[a])) continue;
    ClassSums& s = row[attributes[a]];
    s.count += weight;
    s.product += weight * (values[a] - sums_[attributes[a]].reference);
  }
}

void AttributeScreen::forget_attribute(std::size_t i) {
  sums_[i] = Sums();
  for (std::vector<ClassSums>& row : classes_) row[i] = {};
}

void AttributeScreen::decay(double factor, double seen) {
  const double least = kForgotten * seen * unit_;
  for (std::vector<ClassSums>& row : classes_)
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] =
          sums_[i].weight < least ? ClassSums() : ClassSums{row[i].count * factor, row[i].product * factor};
  for (Sums& s : sums_) s = s.weight < least ? Sums() : s * factor;
}

void AttributeScreen::forget(double factor, double seen) {
  if (factor < 1 / kLargestUnit) return decay(factor, seen);
  double unit = unit_ / factor;
  if (unit > kLargestUnit) {
    const int exponent = std::ilogb(unit) / 2 * 2;  // its root is a power of two as well
    unit = std::ldexp(unit, -exponent);
    decay(std::ldexp(1, -exponent), seen);
  }
  set_unit(unit);
}

void AttributeScreen::set_unit(double unit) {
  unit_ = unit;
  scale_ = 1 / unit;
  root_unit_ = std::sqrt(unit);
  root_scale_ = std::sqrt(scale_);
}

double AttributeScreen::mean(std::size_t i) const {
  const Sums& s = sums_[i];
  return s.weight > 0 ? s.reference + s.sum / s.weight : 0;
}

double AttributeScreen::variance(std::size_t i) const {
  const Sums& s = sums_[i];
  if (!(s.weight > 0)) return 0;
  const double mean = s.sum / s.weight;
  return std::max(s.square / s.weight - mean * mean, 0.0);
}

double AttributeScreen::deviation_of_zeros(double n) const { return std::sqrt(pooled_ / 2 / (n + 0.5)); }

double AttributeScreen::deviation(const Sums& s, std::size_t i) const {
  if (!(s.largest > 0)) return deviation_of_zeros(s.weight);
  const double centre = centred_ ? s.sum / s.weight : -s.reference;  // about the reference
  const double offset = s.sum / s.weight - centre;
  const double spread = s.weight * (variance(i) + offset * offset) / (s.largest * s.largest);
  return std::sqrt((spread + pooled_ / 2) / (s.weight + 0.5));
}

// η̂².
double AttributeScreen::between_classes(const Sums& s, std::size_t i, double deviation) const {
  const double centre = centred_ ? s.sum / s.weight : -s.reference;
  const double scale = (s.weight + 1) * deviation * s.largest;
  double square = 0;
  const auto add = [&](std::size_t c, const ClassSums& of_class) {
    if (!(class_shares_[c] > 0)) return;
    const double about = centred_ ? class_shares_[c] : 0;
    const double product =
        of_class.product - about * s.sum - centre * of_class.count + s.weight * centre * about;
    square += product / scale * (product / scale) / class_shares_[c];
  };
  ClassSums first{s.weight, s.sum};
  const auto take = [&](std::size_t c, const ClassSums& of_class) {
    first.count -= of_class.count;
    first.product -= of_class.product;
    add(c, of_class);
  };
  take(1, {s.label + label_reference_ * s.weight, s.product + label_reference_ * s.sum});
  for (std::size_t c = kDerived; c < class_shares_.size(); ++c) {
    if (c - kDerived >= classes_.size()) break;
    const ClassSums& kept = classes_[c - kDerived][i];
    take(c, {kept.count * scale_, kept.product * scale_});
  }
  add(0, first);
  return square;
}

AttributeScreen::Raw AttributeScreen::raw(std::size_t i) const {
  const Sums s = scaled(i);
  const double deviation = this->deviation(s, i);
  if (!(s.largest > 0)) return {0, deviation};
  if (!class_shares_.empty())
    return {deviation > 0 ? std::sqrt(between_classes(s, i, deviation)) : 0, deviation};
  const double centre = centred_ ? s.sum / s.weight : -s.reference;
  const double about = centred_ ? label_mean_ : label_mean_ - label_offset_;
  const double product = s.product - about * s.sum - centre * s.label + s.weight * centre * about;
  const double scale = deviation * std::sqrt(label_variance_) * s.largest;
  return {scale > 0 ? product / ((s.weight + 1) * scale) : 0, deviation};
}

void AttributeScreen::fit(const LabelSums& label, bool centred, std::span<const double> shares) {
  centred_ = centred;
  class_shares_.assign(shares.begin(), shares.end());
  if (class_shares_.size() <= kDerived) class_shares_.clear();
  const auto there = std::ranges::count_if(class_shares_, [](double share) { return share > 0; });
  directions_ = std::max(static_cast<double>(there) - (centred ? 1 : 0), 1.0);
  label_reference_ = label.reference;
  label_mean_ = label.weight > 0 ? label.sum / label.weight : 0;
  label_offset_ = label.mean();
  label_variance_ = label.variance() + (centred ? 0 : label.mean() * label.mean());
  double squares = 0;
  double counts = 0;
  for (std::size_t i = 0; i < dimension(); ++i) {
    counts += weight(i);
    if (!varies(i)) continue;
    const double offset = centred ? 0 : mean(i);
    squares += weight(i) * (variance(i) + offset * offset) / (largest(i) * largest(i));
  }
  pooled_ = counts > 0 && squares > 0 ? squares / counts : 1;
  mean_deviation_ = 0;
  ByWeight<double> known;  // of attributes of which nothing but zeros came
  for (std::size_t i = 0; i < dimension(); ++i) {
    if (varies(i)) {
      mean_deviation_ += deviation(scaled(i), i);
    } else if (const double* const found = known.find(weight(i))) {
      mean_deviation_ += *found;
    } else {
      known.put(weight(i), deviation_of_zeros(weight(i)));
      mean_deviation_ += deviation_of_zeros(weight(i));
    }
  }
  mean_deviation_ /= static_cast<double>(dimension());
  fit_shares();
}

// Of ρ̂, of an attribute that was seen n times, at each level, over that at level 0.
AttributeScreen::Likelihoods AttributeScreen::likelihoods(double n, const Raw& r) const {
  Likelihoods likelihoods;
  for (std::size_t g = 0; g < kLevels; ++g) {
    const double ratio = n * kVariances[g] * r.deviation / mean_deviation_ / directions_;
    const double exponent =
        0.5 * n * r.rho * r.rho * ratio / (1 + ratio) - 0.5 * directions_ * std::log1p(ratio);
    likelihoods[g] = static_cast<float>(std::exp(std::min(exponent, 80.0)));
  }
  return likelihoods;
}

// By EM. Attributes of which nothing but zeros came, and as often, have the same likelihoods: they count
// together.
void AttributeScreen::fit_shares() {
  struct Group {
    Likelihoods likelihoods;
    double count;  // of attributes
  };
  const std::size_t stride = (dimension() + kLargestSample - 1) / kLargestSample;
  std::vector<Group> groups;
  ByWeight<std::size_t> known;  // of `groups`
  for (std::size_t i = 0; i < dimension(); i += stride) {
    if (!(weight(i) > 0)) continue;
    if (varies(i)) {
      groups.push_back({likelihoods(weight(i), raw(i)), 1});
    } else if (const std::size_t* const group = known.find(weight(i))) {
      ++groups[*group].count;
    } else {
      known.put(weight(i), groups.size());
      groups.push_back({likelihoods(weight(i), {0, deviation_of_zeros(weight(i))}), 1});
    }
  }
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    std::array<double, kLevels> counted;
    counted.fill(kLevelCount);
    counted[0] = kNullCount;
    double total = kNullCount + kLevelCount * (kLevels - 1);
    for (const Group& group : groups) {
      std::array<double, kLevels> part;
      double sum = 0;
      for (std::size_t g = 0; g < kLevels; ++g) {
        part[g] = shares_[g] * static_cast<double>(group.likelihoods[g]);
        sum += part[g];
      }
      const double factor = group.count / sum;
      for (std::size_t g = 0; g < kLevels; ++g) counted[g] += part[g] * factor;
      total += group.count;
    }
    for (std::size_t g = 0; g < kLevels; ++g) shares_[g] = counted[g] / total;
  }
}

AttributeScreen::Estimate AttributeScreen::Estimates::operator()(std::size_t i) {
  if (screen_.varies(i)) return screen_.estimate(i);
  const double weight = screen_.weight(i);
  if (const Estimate* const found = known_.find(weight)) return *found;
  const Estimate estimate = screen_.estimate(i);
  known_.put(weight, estimate);
  return estimate;
}

AttributeScreen::Estimate AttributeScreen::estimate(std::size_t i) const {
  const double n = weight(i);
  const Raw r = raw(i);
  const double s = r.deviation / mean_deviation_;
  std::array<double, kLevels> exponents;
  double largest = 0;  // that of level 0
  for (std::size_t g = 0; g < kLevels; ++g) {
    const double ratio = n * s * kVariances[g] / directions_;
    exponents[g] = 0.5 * n * r.rho * r.rho * ratio / (1 + ratio) - 0.5 * directions_ * std::log1p(ratio);
    largest = std::max(largest, exponents[g]);
  }
  double total = 0;
  double squares = 0;
  for (std::size_t g = 0; g < kLevels; ++g) {
    const double share = shares_[g] * std::exp(exponents[g] - largest);
    const double prior = s * kVariances[g] / directions_;
    const double keep = n * prior / (1 + n * prior);
    const double mean = keep * r.rho;
    total += share;
    squares += share * (mean * mean + directions_ * prior / (1 + n * prior));
  }
  return {n, s, squares / total};
}

void AttributeScreen::save(State& state, const std::string& name) const {
  const auto room = state.put<double>(name + ".sums", sums_.size() * kDoubles);
  if (!sums_.empty()) std::memcpy(room.data(), sums_.data(), room.size_bytes());
  state.put_copy<double>(name + ".shares", shares_);
  state.put_number(name + ".unit", unit_);
  if (classes_.empty()) return;
  const auto classes = state.put<double>(name + ".classes", classes_.size() * dimension() * kClassDoubles);
  for (std::size_t c = 0; c < classes_.size(); ++c)
    std::memcpy(classes.data() + c * dimension() * kClassDoubles, classes_[c].data(),
                dimension() * sizeof(ClassSums));
}

Status AttributeScreen::restore_classes(const State& state, const std::string& name) {
  classes_.clear();
  if (state.find(name + ".classes") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto sums, state.get<double>(name + ".classes", State::kAnyCount));
  const std::size_t row = dimension() * kClassDoubles;
  if (row == 0 || sums.size() % row != 0)
    return failure(ErrorCode::kCorrupt, "{}.classes has {} numbers, must have {} for each class", name,
                   sums.size(), row);
  for (std::size_t c = 0; c < sums.size() / row; ++c)
    std::memcpy(static_cast<void*>(classes_.emplace_back(dimension()).data()), sums.data() + c * row,
                row * sizeof(double));
  return {};
}

Status AttributeScreen::restore(const State& state, const std::string& name) {
  GLIMPSE_TRY_ASSIGN(const auto sums, state.get<double>(name + ".sums", sums_.size() * kDoubles));
  GLIMPSE_TRY_ASSIGN(const auto shares, state.get<double>(name + ".shares", kLevels));
  const auto unit =
      state.get_number<double>(name + ".unit", 1.0);  // checkpoints from before forget() have none
  if (!unit) return unit.error();
  if (!(*unit >= 1 && *unit <= kLargestUnit))
    return failure(ErrorCode::kCorrupt, "{}.unit is {}, must be from 1 to 2^100", name, *unit);
  if (!sums_.empty()) std::memcpy(static_cast<void*>(sums_.data()), sums.data(), sums.size_bytes());
  std::copy(shares.begin(), shares.end(), shares_.begin());
  set_unit(*unit);
  return restore_classes(state, name);
}

// Two screens of disjoint examples become one.

// The moments about our reference: with u' = u + δ and v' = v + offset.
void AttributeScreen::merge(const AttributeScreen& other, std::span<const Attribute> attributes,
                            double offset) {
  const double ratio = unit_ * other.scale_;
  while (classes_.size() < other.classes_.size()) classes_.emplace_back(dimension());
  for (std::size_t i = 0; i < other.dimension(); ++i) {
    const Sums theirs = other.sums_[i] * ratio;
    if (!(theirs.weight > 0)) continue;
    const std::size_t mine = attributes.empty() ? i : attributes[i];
    Sums& ours = sums_[mine];
    if (!(ours.weight > 0)) ours.reference = theirs.reference;
    const double du = theirs.reference - ours.reference;
    ours.square += theirs.square + 2 * du * theirs.sum + theirs.weight * du * du;
    ours.product += theirs.product + offset * theirs.sum + du * theirs.label + theirs.weight * du * offset;
    ours.sum += theirs.sum + theirs.weight * du;
    ours.label += theirs.label + theirs.weight * offset;
    ours.weight += theirs.weight;
    ours.largest = std::max(ours.largest, theirs.largest);
    for (std::size_t c = 0; c < other.classes_.size(); ++c) {
      const ClassSums& of_class = other.classes_[c][i];
      classes_[c][mine].count += ratio * of_class.count;
      classes_[c][mine].product += ratio * (of_class.product + du * of_class.count);
    }
  }
}

void AttributeScreen::renumber_classes(std::span<const std::size_t> classes, double reference) {
  constexpr std::size_t kOwnSums = 2;  // classes from here on have them
  const std::vector<std::vector<ClassSums>> before = std::move(classes_);
  classes_.clear();
  for (std::size_t c = kOwnSums; c < classes.size(); ++c) classes_.emplace_back(dimension());
  for (std::size_t i = 0; i < dimension(); ++i) {
    Sums& sums = sums_[i];
    ClassSums second{sums.label + reference * sums.weight, sums.product + reference * sums.sum};
    ClassSums first{sums.weight - second.count, sums.sum - second.product};
    for (const std::vector<ClassSums>& row : before) {
      first.count -= row[i].count;
      first.product -= row[i].product;
    }
    const auto known = [&](std::size_t c) -> ClassSums {
      const std::size_t was = c < classes.size() ? classes[c] : before.size() + kOwnSums;
      if (was == 0) return first;
      if (was == 1) return second;
      return was - kOwnSums < before.size() ? before[was - kOwnSums][i] : ClassSums();
    };
    for (std::size_t c = 0; c < classes_.size(); ++c) classes_[c][i] = known(c + kOwnSums);
    sums.label = known(1).count;
    sums.product = known(1).product;
  }
}

}  // namespace glimpse
