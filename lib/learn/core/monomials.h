#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "base/types.h"

namespace glimpse {

/// The products of attributes that a model has weights of. A monomial is the sorted tuple of its attributes'
/// numbers, repeated ones among them, so that x₁x₂ and x₂x₁ are one, and x₁²x₂ is (1, 1, 2).
///
/// Monomials have slots, which never change. Slot i < attributes() is attribute i itself. Products have the
/// slots behind, in the order in which they were made. At most `most` products are made; how often there was
/// no room for another is counted.
///
/// A product is reached from its owner, the monomial that it was made of, by one more attribute. Ways that
/// lead to it from other monomials are known as such, so that a walk over owners meets each product once.
///
/// Cost: of a way that was gone before one look into a hash table, of another one O(degree) more. Memory: at
/// most 32 bytes an attribute of a product, 24 a product, and 46 a way. Thread-safety: none.
class Monomials {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};  ///< there is no such product
  static constexpr std::uint32_t kElsewhere =
      ~std::uint32_t{0} - 1;                       ///< another way leads to it, or it is none
  static constexpr std::size_t kMostFactors = 32;  ///< of a product

  Monomials(std::size_t attributes, std::size_t most);

  std::size_t attributes() const { return attributes_; }
  std::size_t products() const { return owners_.size(); }
  std::size_t slots() const { return attributes_ + owners_.size(); }
  std::size_t most() const { return most_; }
  /// How often a product found no room.
  std::uint64_t lacking() const { return lacking_; }

  /// The attributes of a slot, ascending; of one below attributes() `slot` itself, which the span then is of.
  /// Valid until a product is made.
  std::span<const Attribute> factors(const std::uint32_t& slot) const {
    if (slot < attributes_) return {&slot, 1};
    const std::size_t at = slot - attributes_;
    return std::span(factors_).subspan(begins_[at], begins_[at + 1] - begins_[at]);
  }
  std::span<const Attribute> factors(std::uint32_t&& slot) const = delete;  // it would be gone

  /// The product of monomial `slot` and attribute i that this way owns; kElsewhere where another one does;
  /// kNone where nobody asked add() for it yet.
  std::uint32_t find(std::uint32_t slot, Attribute i) const;
  /// The same, but a product that is not there is made. kNone: there is no room for it, or it has more than
  /// kMostFactors. Allocates then alone.
  std::uint32_t add(std::uint32_t slot, Attribute i);
  /// This way leads nowhere from now on: the product is no new feature.
  void close(std::uint32_t slot, Attribute i);
  void prefetch_way(std::uint32_t slot, Attribute i) const {
    if (!ways_.empty()) __builtin_prefetch(&ways_[place_of(key_of(slot, i))]);
  }

  /// Without products, and nothing counted.
  void clear();
  std::size_t memory_bytes() const;

  /// "monomials.*". Ways that close() closed are not kept: those who closed them do it again.
  void save(State& state) const;
  /// Takes back what save() put; check_monomials() has looked at the numbers.
  Status restore(const State& state);

 private:
  struct Way {
    std::uint64_t key = kNoKey;
    std::uint32_t slot = kNone;
  };
  static constexpr std::uint64_t kNoKey = ~std::uint64_t{0};

  static std::uint64_t key_of(std::uint32_t slot, Attribute i) {
    return std::uint64_t{slot} << 32 | std::uint64_t{i};
  }
  static std::uint64_t mixed(std::uint64_t x) {
    x *= 0x9E3779B97F4A7C15U;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93U;
    return x ^ x >> 32;
  }
  std::size_t place_of(std::uint64_t key) const { return mixed(key) & (ways_.size() - 1); }
  void open_way(std::uint64_t key, std::uint32_t slot);
  void widen_ways();
  void multiply(std::uint32_t slot, Attribute i);
  std::uint32_t find_product() const;
  std::uint32_t make_product(std::uint32_t owner);
  std::size_t place_of(std::span<const Attribute> factors) const;
  void widen_index();
  void index(std::uint32_t slot);

  std::size_t attributes_;
  std::size_t most_;
  std::uint64_t lacking_ = 0;
  std::vector<Attribute> factors_;      // of product after product
  std::vector<std::size_t> begins_{0};  // of each product in factors_, and the end
  std::vector<std::uint32_t> owners_;   // of each product
  std::vector<Way> ways_;               // open addressing; a power of two, or none
  std::size_t used_ways_ = 0;
  std::vector<std::uint32_t> index_;  // products by their factors; open addressing
  std::vector<Attribute> product_;    // that is looked for
};

/// The attribute by which `product` is more than `monomial`; none: it is not one attribute more. Both
/// ascending. O(degree).
std::optional<Attribute> added_factor(std::span<const Attribute> monomial,
                                      std::span<const Attribute> product);

/// The arrays "monomials.*" of a state, one after another of each product.
struct MonomialArrays {
  std::span<const std::uint32_t> factors;
  std::span<const std::uint8_t> degrees;
  std::span<const std::uint32_t> owners;
};

/// These, once they are known to describe products of `attributes` attributes, each made of an attribute or
/// of an earlier product, and "expansion.parents" such monomials. Errors: kCorrupt, also for arrays that are
/// not there or do not fit together. Cost: one look at every number; memory for where each product begins.
Result<MonomialArrays> check_monomials(const State& state, std::size_t attributes);

/// The same of what a state has of them: nothing is no error.
Status check_monomials(const State& state);

}  // namespace glimpse
