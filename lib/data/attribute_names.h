#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "base/types.h"

namespace glimpse {

/// The names of attributes, where they have any: from `--attributes FILE`, a CSV header, or VW text, whose
/// features that are no whole number get the next free index. Kept in the checkpoint, because an index must
/// mean the same name for as long as the weights live. Memory: about 100 bytes a name; nothing where no names
/// are used. Thread-safety: none. Moves, but does not copy.
class AttributeNames {
 public:
  /// Names may be given to attributes 0 … dimension − 1.
  explicit AttributeNames(std::size_t dimension);
  AttributeNames(AttributeNames&&) = default;
  AttributeNames& operator=(AttributeNames&&) = default;

  std::size_t dimension() const { return dimension_; }
  bool empty() const { return indices_.empty(); }
  /// Above every attribute that has a name.
  std::size_t size() const { return names_.size(); }

  /// The attribute called `name`, if there is one.
  std::optional<Attribute> find(std::string_view name) const;

  /// The attribute that `text` says: by its number from 0 where it is digits alone, as in every format, else
  /// by its name. An Error (kInvalidInput) when there is none.
  Result<Attribute> resolve(std::string_view text) const;

  /// The attribute called `name`, which gets the next free index when it is new: above all that have names
  /// and all that were used as plain numbers. An Error when there is none. Allocates for a new name only.
  Result<Attribute> find_or_add(std::string_view name);

  /// A stream with names also says `index` (< dimension) as a plain number. An Error when find_or_add() has
  /// given that index to a name: the two would be learned as one attribute. A name forgotten after that finds
  /// another index.
  Status use_number(Attribute index) {
    if (index >= names_.size()) {
      if (index >= numbers_end_) numbers_end_ = index + 1;
      return {};
    }
    return index < fixed_ || names_[index].empty() ? Status() : number_is_named(index);
  }

  /// Whether use_number() is an Error for no number; then of several, the largest alone need be said.
  bool takes_every_number() const { return names_.size() <= fixed_; }

  /// Takes back the names that came after the first `size`: those of a line that was refused.
  void forget_after(std::size_t size);

  /// Fixes the names of attributes 0, 1, … (a header, a file); by these numbers they may be called as well.
  /// Fine when they are as known already; an Error (kMismatch) when an attribute had another name, and
  /// (kInvalidInput) on duplicates, empty names or more names than attributes; nothing is changed then.
  Status fix(const std::vector<std::string>& names);

  /// Whether names may be given; true at first. While they may not, fix() says whether they are fine and
  /// gives none, and find_or_add() finds. Returns what it was.
  bool set_open(bool open) { return std::exchange(open_, open); }

  /// What to call `attribute`, so that resolve() finds it: its name, or its number where it has none or one
  /// of digits. Valid UTF-8, whatever bytes the name holds.
  std::string callable_name(Attribute attribute) const;

  /// The name of `attribute`, or empty.
  std::string_view name(Attribute attribute) const;

  /// Puts "names/text" (all names, one after the other), "names/ends" (where each ends) and "names/limits".
  void save(State& state) const;
  /// Takes back what save() put. After an Error (kCorrupt; kMismatch when there are more names than
  /// attributes) nothing is changed.
  Status restore(const State& state);

 private:
  struct Hash {
    using is_transparent = void;  // find() takes a string_view without making a string of it
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };

  void add(std::size_t index, std::string_view name);
  Error number_is_named(Attribute index);

  std::size_t dimension_;
  std::size_t fixed_ = 0;  // attributes before it were named by fix()
  bool open_ = true;
  std::size_t numbers_end_ = 0;  // above every index that was used as a plain number while it had no name
  std::unordered_map<std::string, Attribute, Hash, std::equal_to<>> indices_;
  std::vector<std::string_view>
      names_;  // views of the keys of indices_, whose nodes never move; empty: no name
};

}  // namespace glimpse
