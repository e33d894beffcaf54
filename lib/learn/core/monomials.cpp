#include "learn/core/monomials.h"

#include <algorithm>
#include <vector>

namespace glimpse {

namespace {

constexpr std::size_t kFewestPlaces = 64;  // places of a table

// Tables are at most two thirds full.
bool is_full(std::size_t used, std::size_t places) { return 3 * (used + 1) > 2 * places; }

}  // namespace

Monomials::Monomials(std::size_t attributes, std::size_t most)
    : attributes_(attributes), most_(std::min<std::size_t>(most, kElsewhere - attributes)) {}

std::uint32_t Monomials::find(std::uint32_t slot, Attribute i) const {
  if (ways_.empty()) return kNone;
  const std::uint64_t key = key_of(slot, i);
  for (std::size_t at = place_of(key);; at = (at + 1) & (ways_.size() - 1)) {
    const Way& way = ways_[at];
    if (way.key == key) return way.slot;
    if (way.key == kNoKey) return kNone;
  }
}

std::uint32_t Monomials::add(std::uint32_t slot, Attribute i) {
  if (const std::uint32_t found = find(slot, i); found != kNone) return found;
  multiply(slot, i);
  if (find_product() != kNone) {
    open_way(key_of(slot, i), kElsewhere);
    return kElsewhere;
  }
  if (product_.size() > kMostFactors || products() >= most_) {
    ++lacking_;
    return kNone;
  }
  const std::uint32_t made = make_product(slot);
  open_way(key_of(slot, i), made);
  return made;
}

void Monomials::close(std::uint32_t slot, Attribute i) {
  if (find(slot, i) == kNone) open_way(key_of(slot, i), kElsewhere);
}

// product_ = factors(slot) and i.
void Monomials::multiply(std::uint32_t slot, Attribute i) {
  const auto of = factors(slot);
  product_.assign(of.begin(), of.end());
  product_.insert(std::upper_bound(product_.begin(), product_.end(), i), i);
}

std::size_t Monomials::place_of(std::span<const Attribute> factors) const {
  std::uint64_t hash = factors.size();
  for (const Attribute i : factors) hash = mixed(hash ^ i);
  return hash & (index_.size() - 1);
}

std::uint32_t Monomials::find_product() const {
  if (index_.empty()) return kNone;
  for (std::size_t at = place_of(product_);; at = (at + 1) & (index_.size() - 1)) {
    if (index_[at] == kNone) return kNone;
    if (std::ranges::equal(factors(index_[at]), product_)) return index_[at];
  }
}

std::uint32_t Monomials::make_product(std::uint32_t owner) {
  const auto slot = static_cast<std::uint32_t>(slots());
  factors_.insert(factors_.end(), product_.begin(), product_.end());
  begins_.push_back(factors_.size());
  owners_.push_back(owner);
  if (is_full(products(), index_.size())) {
    widen_index();
  } else {
    index(slot);
  }
  return slot;
}

void Monomials::index(std::uint32_t slot) {
  std::size_t at = place_of(factors(slot));
  while (index_[at] != kNone) at = (at + 1) & (index_.size() - 1);
  index_[at] = slot;
}

void Monomials::widen_index() {
  index_.assign(std::max(kFewestPlaces, 2 * index_.size()), kNone);
  for (std::size_t slot = attributes_; slot < slots(); ++slot) index(static_cast<std::uint32_t>(slot));
}

void Monomials::open_way(std::uint64_t key, std::uint32_t slot) {
  if (is_full(used_ways_, ways_.size())) widen_ways();
  std::size_t at = place_of(key);
  while (ways_[at].key != kNoKey) at = (at + 1) & (ways_.size() - 1);
  ways_[at] = {key, slot};
  ++used_ways_;
}

void Monomials::widen_ways() {
  std::vector<Way> narrow(std::max(kFewestPlaces, 2 * ways_.size()));
  narrow.swap(ways_);
  for (const Way& way : narrow) {
    if (way.key == kNoKey) continue;
    std::size_t at = place_of(way.key);
    while (ways_[at].key != kNoKey) at = (at + 1) & (ways_.size() - 1);
    ways_[at] = way;
  }
}

void Monomials::clear() { *this = Monomials(attributes_, most_); }

std::size_t Monomials::memory_bytes() const {
  return factors_.capacity() * sizeof(Attribute) + begins_.capacity() * sizeof(std::size_t) +
         (owners_.capacity() + index_.capacity()) * sizeof(std::uint32_t) + ways_.capacity() * sizeof(Way);
}

void Monomials::save(State& state) const {
  state.put_copy<std::uint32_t>("monomials.factors", factors_);
  const auto degrees = state.put<std::uint8_t>("monomials.degrees", products());
  for (std::size_t at = 0; at < products(); ++at)
    degrees[at] = static_cast<std::uint8_t>(begins_[at + 1] - begins_[at]);
  state.put_copy<std::uint32_t>("monomials.owners", owners_);
  state.put_number("monomials.lacking", lacking_);
}

Status Monomials::restore(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto arrays, check_monomials(state, attributes_));
  const auto [factors, degrees, owners] = arrays;
  GLIMPSE_TRY_ASSIGN(const auto lacking, state.get_number<std::uint64_t>("monomials.lacking"));
  if (degrees.size() > most_)
    return failure(ErrorCode::kCorrupt, "monomials.degrees is of {} products, must be at most {}",
                   degrees.size(), most_);
  clear();
  lacking_ = lacking;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < degrees.size(); ++at) {
    const auto of = factors.subspan(begin, degrees[at]);
    begin += of.size();
    product_.assign(of.begin(), of.end());
    const std::uint32_t owner = owners[at];
    const auto slot = make_product(owner);
    const auto key = key_of(owner, added_factor(this->factors(owner), this->factors(slot)).value_or(0));
    if (find(static_cast<std::uint32_t>(key >> 32), static_cast<Attribute>(key)) == kNone)
      open_way(key, slot);
  }
  return {};
}

namespace {

constexpr std::uint8_t kMostFactors = 32;  // as Monomials has it

Error not_of(const char* name, auto... values) {
  std::string text;
  ((text += fmt::format("{}{}", text.empty() ? "" : " and ", values)), ...);
  return failure(ErrorCode::kCorrupt, "{} does not describe products of attributes: {}", name, text);
}

}  // namespace

std::optional<Attribute> added_factor(std::span<const Attribute> monomial,
                                      std::span<const Attribute> product) {
  if (product.size() != monomial.size() + 1) return std::nullopt;
  const auto at = static_cast<std::size_t>(
      std::mismatch(monomial.begin(), monomial.end(), product.begin()).first - monomial.begin());
  if (!std::ranges::equal(monomial.subspan(at), product.subspan(at + 1))) return std::nullopt;
  return product[at];
}

Result<MonomialArrays> check_monomials(const State& state, std::size_t attributes) {
  GLIMPSE_TRY_ASSIGN(const auto factors, state.get<std::uint32_t>("monomials.factors"));
  GLIMPSE_TRY_ASSIGN(const auto degrees, state.get<std::uint8_t>("monomials.degrees"));
  GLIMPSE_TRY_ASSIGN(const auto owners, state.get<std::uint32_t>("monomials.owners", degrees.size()));
  GLIMPSE_TRY_ASSIGN(const auto parents, state.get<std::uint32_t>("expansion.parents"));

  std::vector<std::size_t> begins{0};
  begins.reserve(degrees.size() + 1);
  for (const std::uint8_t degree : degrees) {
    if (degree < 2 || degree > kMostFactors || degree > factors.size() - begins.back())
      return not_of("monomials.degrees", degree);
    begins.push_back(begins.back() + degree);
  }
  if (begins.back() != factors.size()) return not_of("monomials.factors", factors.size(), begins.back());
  for (std::size_t at = 0; at < degrees.size(); ++at) {
    const auto product = factors.subspan(begins[at], degrees[at]);
    if (!std::ranges::is_sorted(product) || product.back() >= attributes)
      return not_of("monomials.factors", product.front(), product.back());
    const std::uint32_t owner = owners[at];
    if (owner >= attributes + at) return not_of("monomials.owners", owner);
    const auto made_of = owner < attributes
                             ? std::span<const std::uint32_t>(&owner, 1)
                             : factors.subspan(begins[owner - attributes], degrees[owner - attributes]);
    if (!added_factor(made_of, product)) return not_of("monomials.owners", owner);
  }
  for (const std::uint32_t parent : parents)
    if (parent >= attributes + degrees.size()) return not_of("expansion.parents", parent);
  return MonomialArrays{factors, degrees, owners};
}

Status check_monomials(const State& state) {
  const Tensor* attributes = state.find("moments.max_abs");
  if (state.find("monomials.degrees") == nullptr || attributes == nullptr) return {};
  GLIMPSE_TRY(check_monomials(state, attributes->count()));
  struct Bound {
    const char* name;
    double least;
  };
  for (const auto& [name, least] :
       {Bound{"expansion.squares", 0}, Bound{"expansion.scales", 0}, Bound{"expansion.seconds", 0},
        Bound{"expansion.sums", 0}, Bound{"expansion.losses", 0}, Bound{"expansion.averages", 1}})
    if (const auto values = state.get<double>(name); values)
      for (const double value : *values)
        if (!(value >= least))
          return failure(ErrorCode::kCorrupt, "{} holds {}, must be from {}", name, value, least);
  return {};
}

}  // namespace glimpse
