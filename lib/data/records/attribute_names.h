#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "base/types.h"
#include "data/records/categories.h"

namespace glimpse {

/// The names of attributes, where they have any: from `--attributes FILE`, a CSV header, or records that are
/// learned from, whose new names get free indices. They are kept in the checkpoint, because an index must
/// mean the same name for as long as the weights live. Kept as well is which attributes records gave by
/// number, because these may get no name any more.
///
/// Of numbers, the smallest and the largest are kept, and all between count as used: so a line of any length
/// costs the same.
///
/// What a record brings, names and numbers, stays with keep() and goes with take_back(). Memory: about 110
/// bytes a name; nothing where no names are used. Thread-safety: none. Moves, but does not copy.
class AttributeNames {
 public:
  /// Names may be given to attributes 0 … dimension − 1.
  explicit AttributeNames(std::size_t dimension);
  AttributeNames(AttributeNames&&) = default;
  AttributeNames& operator=(AttributeNames&&) = default;

  /// 0: not known yet.
  std::size_t dimension() const { return dimension_; }
  /// The first record tells it. REQUIRES: dimension() is 0, and `dimension` is not.
  void set_dimension(std::size_t dimension) { dimension_ = dimension; }
  bool empty() const { return indices_.empty(); }
  /// Above every attribute that has a name.
  std::size_t size() const { return names_.size(); }

  /// Another number after each name that came or went, and that of no other object of this process; 0: no
  /// name ever came. What was copied at one version is of no other.
  std::uint64_t version() const { return version_; }

  /// The attribute called `name`, if there is one.
  std::optional<Attribute> find(std::string_view name) const;

  /// What is_called() compares first: the last eight bytes of a name, or all of a shorter one. `readable` ≤
  /// `begin` < `end`: all bytes from there may be read.
  static std::uint64_t tail_of(const char* readable, const char* begin, const char* end) {
    std::uint64_t tail = 0;
    const auto length = static_cast<std::size_t>(end - begin);
    if (end - readable >= 8) {
      std::memcpy(&tail, end - 8, 8);
      return length >= 8 ? tail : tail & ~std::uint64_t{0} << (64 - 8 * length);
    }
    std::memcpy(reinterpret_cast<char*>(&tail) + (8 - length), begin, length);
    return tail;
  }
  /// Whether `attribute` has this name, whose tail_of() is `tail`. For guesses that are mostly right: find()
  /// takes several times as long.
  bool is_called(Attribute attribute, std::string_view name, std::uint64_t tail) const {
    return attribute < names_.size() && tails_[attribute] == tail &&
           names_[attribute].size() == name.size() &&
           (name.size() <= 8 || std::memcmp(names_[attribute].data(), name.data(), name.size() - 8) == 0);
  }

  /// The attribute that `text` says: by its name, or else by its number from 0 where it is digits alone. With
  /// `is_number` (a number in JSON) the number it is. An Error (kInvalidInput) when there is none.
  Result<Attribute> resolve(std::string_view text, bool is_number = false) const;

  /// The attribute called `name`. A new one gets the index above all that have names and all numbers used,
  /// and once there is none, the lowest that is free. So a record's numbers are to be said before its names.
  /// An Error when no index is free. Allocates for a new name only, and leaves everything as it was without
  /// memory for that.
  Result<Attribute> find_or_add(std::string_view name);

  /// A record says `index` (< dimension) by number. An Error when find_or_add() has given that index to a
  /// name: the two would be learned as one attribute. Attributes that fix() named may be said by either.
  Status use_number(Attribute index) {
    if (!open_ || index < fixed_) return {};
    if (index < names_.size() && !names_[index].empty()) return number_is_named(index);
    numbers_.add(index, index);
    return {};
  }

  /// Whether use_number() is an Error for no number.
  bool takes_every_number() const { return !open_ || names_.size() <= fixed_; }

  /// The attributes before it were named by fix().
  std::size_t fixed() const { return fixed_; }
  /// fix() named every attribute: there is no other name, and none to come.
  bool are_complete() const { return dimension_ > 0 && fixed_ == dimension_; }
  /// Every attribute has a name, given or made.
  bool are_all_named() const { return dimension_ > 0 && indices_.size() == dimension_; }

  /// No attribute is called `name` (kInvalidInput); the nearest name is, where there is one like it.
  Error no_such_name(std::string_view name) const;

  /// Whether a name that is not known is refused, as "1e0", "+1" and " 1" are where attributes are in use by
  /// number: it looks like a number, and is none that resolve() takes.
  bool is_mistaken_number(std::string_view name) const;
  /// Whether `name` is the number of an attribute of this model, in whatever form, and not of `index`.
  bool is_number_of_another(std::string_view name, std::size_t index) const;
  /// Attributes 0, 1, … would get the names of a header. An Error (kInvalidInput) where attributes are in use
  /// by number, and one would be called by the number of another.
  Status check_header(const std::vector<std::string>& names) const;

  /// The same as use_number() for several, of which `first` is the smallest and `last` the largest. REQUIRES:
  /// takes_every_number(), first >= fixed().
  void use_numbers(Attribute first, Attribute last) {
    if (open_) numbers_.add(first, last);
  }

  /// The same for all: a record gives its values in the order of the attributes.
  Status use_all_numbers() {
    if (!open_ || fixed_ >= dimension_) return {};
    if (names_.size() > fixed_) return number_is_named(static_cast<Attribute>(names_.size() - 1));
    numbers_.add(fixed_, dimension_ - 1);
    return {};
  }

  /// Attributes are asked for, and may be answered by number; those that have no name never get one from a
  /// record then. Stays.
  void give_numbers(std::span<const Attribute> attributes);
  /// The same until release_numbers(), which is of all. Not kept in states.
  void promise_numbers(std::span<const Attribute> attributes);
  void release_numbers();

  /// The words of attributes that hold words, and of the label. They stay and go with the names.
  Categories& categories() { return categories_; }
  const Categories& categories() const { return categories_; }
  /// Categories::read() for an attribute of this model: a word, in a record that may be learned from.
  /// In a table, where it is in `column`, from 0, an attribute without a name is called as that is: #3.
  Result<double> read_word(Attribute attribute, std::string_view word, bool learns,
                           std::optional<std::size_t> column = std::nullopt) {
    if (categories_.holds(attribute))
      return learns && open_ ? categories_.find_or_add(attribute, word) : categories_.find(attribute, word);
    return categories_.read(
        attribute, word, learns && open_,
        column && name(attribute).empty() ? fmt::format("#{}", *column + 1) : callable_name(attribute));
  }

  /// A copy for a PlainReader: it knows the names of now, no number counts as used, and words are refused.
  /// So are names that look like numbers. Cost: that of so many names.
  AttributeNames twin() const;
  /// Attributes of one record, which said them by number: from the first to the last.
  struct Numbers {
    Attribute first;
    Attribute last;
  };
  /// Of a twin(): those that were used since the last keep() or take_back(); none: none.
  std::optional<Numbers> new_numbers() const {
    if (numbers_.begin == numbers_.end) return std::nullopt;
    return Numbers{static_cast<Attribute>(numbers_.begin), static_cast<Attribute>(numbers_.end - 1)};
  }
  /// Names were added since the last keep() or take_back().
  bool has_new_names() const { return !added_.empty(); }

  /// An Error (kInvalidInput) where attributes hold words, of which `format` can say none: what it does not
  /// say is 0, and the code of a word.
  Status check_no_words(const char* format) const {
    return categories_.empty() ? Status() : words_in(format);
  }

  /// What was added since the last keep() or take_back() stays. Allocates nothing.
  void keep() {
    added_.clear();
    categories_.keep();
    kept_numbers_ = numbers_;
    kept_fixed_ = fixed_;
  }
  /// The attributes whose names were added since then.
  const std::vector<Attribute>& added() const { return added_; }
  /// The numbers that were used since then stay.
  void keep_numbers() { kept_numbers_ = numbers_; }
  /// Names and numbers added since then are forgotten: they are of a record that is not learned from.
  /// Allocates nothing.
  void take_back();

  /// Fixes the names of attributes 0, 1, … (a header, a file); by these numbers they may be called as well,
  /// also where they were before. They stay, whatever becomes of the record. Fine when they are as known
  /// already; an Error (kMismatch) when an attribute had another name, and (kInvalidInput) on duplicates,
  /// empty names or more names than attributes; nothing is changed then. With `stays` false they stay and go
  /// with the record.
  Status fix(const std::vector<std::string>& names, bool stays = true);

  /// Whether names may be given and numbers count as used; true at first. While they may not, fix() says
  /// whether they are fine and gives none, find_or_add() finds, and any attribute may be said by number.
  /// Returns what it was.
  bool set_open(bool open) { return std::exchange(open_, open); }
  bool is_open() const { return open_; }

  /// What to call `attribute`, so that resolve() finds it: its name, or its number where it has none or one
  /// that is no UTF-8. A number that is the name of another attribute has a 0 in front.
  std::string callable_name(Attribute attribute) const;

  /// The name of `attribute`, or empty.
  std::string_view name(Attribute attribute) const;

  /// Puts the categories, "names/text" (all names, one after the other), "names/ends" (where each ends),
  /// "names/limits" and "names/numbers" (lib/checkpoint/FORMAT.md).
  void save(State& state) const;
  /// Takes back what save() put. After an Error (kCorrupt; kMismatch when there are more names than
  /// attributes) nothing is changed.
  Status restore(const State& state);
  /// Whether a state says which numbers were used; those of the first builds say it of VW text alone.
  static bool knows_numbers(const State& state) { return state.find("names/numbers") != nullptr; }

 private:
  struct Hash {
    using is_transparent = void;  // find() takes a string_view without making a string of it
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };

  // From `begin` to before `end`; none: both 0.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;

    bool holds(std::size_t index) const { return begin <= index && index < end; }
    void add(std::size_t first, std::size_t last) {
      if (begin == end || first < begin) begin = first;
      if (last >= end) end = last + 1;
    }
  };

  bool uses_numbers() const { return numbers_.end > 0 || promised_.end > 0; }
  std::size_t free_index();
  Error no_free_index(std::string_view name) const;
  void add(std::size_t index, std::string_view name);
  Error number_is_named(Attribute index) const;
  Error words_in(const char* format) const;

  std::size_t dimension_;
  std::uint64_t version_ = 0;
  std::size_t fixed_ = 0;
  std::size_t kept_fixed_ = 0;  // as of the last keep()
  bool open_ = true;
  Range numbers_;       // from the smallest to the largest that was used, of those not fixed
  Range kept_numbers_;  // as of the last keep()
  Range promised_;      // get no name either
  Categories categories_;
  std::size_t lowest_free_ = 0;   // no index below it is free
  std::vector<Attribute> added_;  // by find_or_add() since the last keep()
  std::unordered_map<std::string, Attribute, Hash, std::equal_to<>> indices_;
  std::vector<std::string_view>
      names_;                         // views of the keys of indices_, whose nodes never move; empty: no name
  std::vector<std::uint64_t> tails_;  // of names_
};

}  // namespace glimpse
