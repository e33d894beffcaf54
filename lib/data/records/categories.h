#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
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

/// Which attributes hold words, and the code of each word: 0, 1, 2, … in the order in which records that are
/// learned from brought them. An attribute does from the first word on that is its first value of all; there
/// are numbers among the words of such a one then. Of an attribute limit() words have a code of their own,
/// and all others share one, *other*; so do words of more than kLongest bytes.
///
/// The same for the label, whose words are classes: 0, 1, 2, … up to label_limit() of them. Where labels are
/// words a number is the word that it is written as, 3.0 and 3 the same.
///
/// Kept in the checkpoint, as a code must mean the same word for as long as the weights live. What a record
/// brings stays with keep() and goes with take_back(). Memory: 4 bytes an attribute and about 100 a word;
/// nothing where there are no words. Thread-safety: none. Moves, but does not copy.
class Categories {
 public:
  static constexpr std::size_t kUsual = 32;  ///< of limit()
  static constexpr std::size_t kLargestLimit = 65536;
  static constexpr std::size_t kLongest = 255;  ///< bytes
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  Categories() = default;
  Categories(Categories&&) = default;
  Categories& operator=(Categories&&) = default;

  /// What was learned of before: an attribute that was is one of numbers for good. Without them nothing was.
  struct Learned {
    std::function<bool(Attribute)> value;
    std::function<bool()> label;
  };
  void set_learned(Learned learned) { learned_ = std::move(learned); }
  /// Words of an attribute with a code of their own; ≥ 1. What has one keeps it.
  void set_limit(std::size_t limit) { limit_ = limit; }
  std::size_t limit() const { return limit_; }
  /// Why words are refused; empty: they are not.
  void set_refusal(std::string why) { refusal_ = std::move(why); }

  bool empty() const { return attributes_.empty(); }
  /// Those that hold words, in the order in which that was found.
  const std::vector<Attribute>& attributes() const { return attributes_; }
  bool holds(Attribute attribute) const { return attribute < places_.size() && places_[attribute] != kNone; }

  /// The attribute holds numbers from now on, as a sample or somebody says: stays. A word is a missing value
  /// then, and true and false are 1 and 0. Nothing where it holds words.
  void declare_number(Attribute attribute);
  void declare_numbers_of(const Categories& other) {
    numbers_ = other.numbers_;
    dates_ = other.dates_;
  }
  /// An attribute that is a number of days.
  struct Date {
    Attribute attribute;
    std::uint8_t parts;                                             ///< that vary: a set of DatePart
    std::function<bool(std::string_view text, double& days)> read;  ///< a date as the table has it; or false
  };
  /// What was said first of an attribute holds.
  void declare_date(Date date);
  /// In the order in which they were declared. No part of save().
  const std::vector<Date>& dates() const { return dates_; }
  /// A date as the table has it, of an attribute of dates.
  std::optional<double> read_date(Attribute attribute, std::string_view text) const;
  bool is_number(Attribute attribute) const { return attribute < numbers_.size() && numbers_[attribute]; }
  /// It holds numbers, as was said or as was learned.
  bool has_numbers(Attribute attribute) const {
    return is_number(attribute) || (!holds(attribute) && learned_.value && learned_.value(attribute));
  }
  /// The same as declare_number() of the label, whose words are errors then. Nothing where labels are words.
  void declare_label_number() { is_label_number_ = !has_label_words_; }
  bool is_label_number() const { return is_label_number_; }
  /// A word where numbers are: neither a number, nor one of the marks for a missing value.
  struct OddValue {
    Attribute attribute;
    std::string word;
  };
  /// Whether odd values are missing ones from now on, and collected; else each is an Error. Returns what held
  /// before.
  bool set_takes_odd(bool takes) { return std::exchange(takes_odd_, takes); }
  bool takes_odd(Attribute attribute) const { return takes_odd_ && has_numbers(attribute); }
  bool has_odd() const { return !odd_.empty(); }
  /// Those collected since the last call.
  std::vector<OddValue> take_odd() { return std::exchange(odd_, {}); }

  /// The attribute holds words from now on, as somebody says: stays. `called`: its name, for the Error
  /// (kInvalidInput), where words are refused or it was learned from as a number.
  Status declare(Attribute attribute, std::string_view called);
  /// The attributes that were declared since this was made.
  const std::vector<Attribute>& declared() const { return declared_; }

  /// The code of a word, or of a number, of an attribute that holds words; that of *other*, where there is
  /// one, for what is not known; else kUnknown. Allocates nothing.
  double find(Attribute attribute, std::string_view word) const;
  /// The same in a record that is learned from: what is not known gets a code.
  double find_or_add(Attribute attribute, std::string_view word);
  /// The code of a word of an attribute, where `learns` for a record that is learned from. Else an attribute
  /// that may turn out to hold words is kUnknown. Errors (kInvalidInput): the attribute holds numbers; the
  /// word is a date; words are refused.
  Result<double> read(Attribute attribute, std::string_view word, bool learns, std::string_view called);

  /// The code of a label that is a word, or a number beside words; of one that is not learned from and not
  /// known, label_words().size(). An Error (kInvalidInput) for a word too many, for a word where labels were
  /// numbers, and for a new one that cannot be a name: of more than kLongest bytes, not UTF-8, with
  /// characters that are not seen, a date, or "nan". O(1); allocates for a new word alone.
  Result<double> read_label(std::string_view word, bool learns);
  /// The same of a number; itself where labels are numbers.
  Result<double> read_label(double number, bool learns);
  /// Labels may have so many words, ≥ 1; `why`: what mends it, told with the first too many.
  void set_label_limit(std::size_t limit, std::string why);
  std::size_t label_limit() const { return label_limit_; }
  /// Labels are words: one came, or declare_label() said so, which stays.
  bool has_label_words() const { return has_label_words_; }
  void declare_label() { is_label_declared_ = has_label_words_ = kept_has_label_words_ = true; }
  bool is_label_declared() const { return is_label_declared_; }
  /// These words have the first codes. Before any record; an Error (kInvalidOption) where others are known,
  /// or one comes twice.
  Status declare_label_words(const std::vector<std::string>& words);
  /// The words before this code were declared.
  std::size_t declared_label_words() const { return declared_label_words_; }
  const std::vector<std::string>& label_words() const { return label_words_; }
  /// The words from code `count` on are forgotten, as nothing was learned of them.
  void forget_label_words(std::size_t count);
  /// The same where nothing keeps labels from being numbers.
  void forget_label() { has_label_words_ = kept_has_label_words_ = false; }
  /// The words of an attribute from code `count` on are forgotten, as nothing was learned of them.
  void forget_words(Attribute attribute, std::size_t count);
  /// The attribute may hold numbers again, as nothing was learned of it. REQUIRES: it has no word.
  void forget_attribute(Attribute attribute);
  /// Whether keep() kept all words, attributes and classes.
  bool is_kept() const {
    return added_.empty() && kept_attributes_ == attributes_.size() &&
           kept_label_words_ == label_words_.size();
  }
  /// Of attributes(), those that keep() kept.
  std::size_t kept_attributes() const { return kept_attributes_; }

  /// Codes of the attribute so far.
  std::size_t codes(Attribute attribute) const;
  /// The word of a code; *other*: "(other)". Empty where there is no such code.
  std::string_view word(Attribute attribute, std::uint32_t code) const;
  bool has_other(Attribute attribute) const;

  void keep();
  void take_back();

  /// Puts "categories/…", "inputs.numbers", "inputs.label_is_number" and "label_words/…" where there are any
  /// (lib/checkpoint/FORMAT.md).
  void save(State& state) const;
  /// Takes back what save() put, for attributes below `dimension`. Errors: kCorrupt; nothing is changed then.
  Status restore(const State& state, std::size_t dimension);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  struct Words {
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> codes;
    std::vector<std::string_view> names;  // by code, views of the keys; empty: *other*
    std::uint32_t other = kNone;
  };

  static void forget_last(Words& words);
  void make(Attribute attribute);
  std::uint32_t add(Words& words, std::string_view word);

  std::size_t limit_ = kUsual;
  std::string refusal_;
  Learned learned_;
  std::vector<std::uint32_t> places_;  // by attribute; as long as needed
  std::vector<Attribute> attributes_;
  std::vector<Words> words_;  // by place
  void add_label_word(std::string_view word);
  std::string too_many_labels(std::string_view word) const;

  std::vector<bool> numbers_;  // by attribute; as long as needed
  std::vector<Date> dates_;
  bool is_label_number_ = false;
  bool takes_odd_ = false;
  std::vector<OddValue> odd_;
  std::vector<Attribute> declared_;
  bool is_label_declared_ = false;
  bool has_label_words_ = false;
  std::size_t declared_label_words_ = 0;
  std::vector<std::string> label_words_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> label_codes_;
  std::size_t label_limit_ = 2;
  std::string label_mend_;

  // As of the last keep():
  std::size_t kept_attributes_ = 0;
  std::size_t kept_label_words_ = 0;
  bool kept_has_label_words_ = false;
  std::vector<std::uint32_t> added_;  // places of the words added since, one after another
};

/// Whether a word has bytes that no text has, as NUL: it is damaged.
bool has_control_character(std::string_view word);

}  // namespace glimpse
