#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "daemon/predictions/class_prediction.h"
#include "data/records/attribute_names.h"
#include "learn/core/learner.h"
#include "learn/plans/plan_book.h"

namespace glimpse {

/// Stands between what readers know of words (Categories) and the learner, which gets their codes: which
/// attributes hold categories, and which never will, as they were learned from as numbers; and whether labels
/// are classes. Thread-safety: none; the trainer thread's.
class Words {
 public:
  /// Once: what readers ask of the learner, and why words are refused where it cannot learn from them. Both
  /// outlive this.
  static void connect(AttributeNames& names, const Learner& learner);
  /// The same for a learner of the same options that takes the place of that one. Allocates nothing.
  static void follow(AttributeNames& names, const Learner& learner);

  /// What labels are, and how many classes there may be, as far as the learner allows. Before the first
  /// record, or the restored state. An Error (kInvalidOption) where it cannot be so many. --classes are
  /// declare_words()'s.
  Status set_classes(const ClassOptions& options, AttributeNames& names, const Learner& learner);

  /// Hears of each attribute that turns out to hold words, and of the label's words.
  void set_tell(std::function<void(const std::string&)> tell) { tell_ = std::move(tell); }

  /// Before codes are learned from: the learner gets the kinds of attributes and labels that the example
  /// brought. settle() or withdraw() comes behind that.
  void begin(AttributeNames& names, Learner& learner) {
    const Categories& categories = names.categories();
    if (known_ < categories.attributes().size() || label_words_ < categories.label_words().size() ||
        known_dates_ < categories.dates().size())
      begin_new(names, learner);
  }
  /// The example was learned from: what it brought stays.
  void settle(AttributeNames& names, Learner& learner) {
    names.keep();
    const Categories& categories = names.categories();
    if (told_ < categories.attributes().size() || label_words_ < categories.label_words().size())
      tell_new(names, learner);
  }
  /// It was not: neither names, words nor kinds of it stay.
  void withdraw(AttributeNames& names, Learner& learner);
  /// Words and kinds of which nothing was learned, and that no open plan waits with, are forgotten: they came
  /// with values and labels of plans that were given up.
  void forget_unlearned(AttributeNames& names, Learner& learner, const PlanBook& plans);
  /// begin() and settle().
  void note(AttributeNames& names, Learner& learner) {
    begin(names, learner);
    settle(names, learner);
  }
  /// Attributes and labels that were declared to hold words get their kinds. What only open plans of a
  /// checkpoint wait with does not.
  void note_declared(AttributeNames& names, Learner& learner);
  /// The names are those of a checkpoint, and so is the learner. An Error (kMismatch) where --task says
  /// otherwise.
  Status note_restored(AttributeNames& names, const Learner& learner);

 private:
  void begin_dates(const AttributeNames& names, Learner& learner);
  void begin_new(const AttributeNames& names, Learner& learner);
  void tell_new(const AttributeNames& names, const Learner& learner);
  void count_known(const AttributeNames& names);
  void forget_unlearned_label(const Categories& categories, Learner& learner);

  std::function<void(const std::string&)> tell_;
  std::size_t known_ = 0;  // so many of Categories::attributes() does the learner know
  std::size_t told_ = 0;   // so many of them were told
  std::size_t label_words_ = 0;
  std::size_t known_dates_ = 0;  // so many of Categories::dates() does the learner know
  std::size_t told_dates_ = 0;
  Task task_ = Task::kAuto;
};

/// What is known to hold words before any record is read, from the first records or by an option.
struct KnownWords {
  std::size_t limit = Categories::kUsual;  ///< --max-categories
  std::span<const Attribute> attributes = {};
  std::span<const Attribute> numbers = {};  ///< attributes that hold numbers
  bool has_label_words = false;
  bool has_label_numbers = false;
  std::span<const std::string> named = {};  ///< --categories: names or numbers of attributes
  const ClassOptions* classes = nullptr;
};
/// Errors: kInvalidOption.
Status declare_words(const KnownWords& known, AttributeNames& names);

/// Whether `now` goes on from `before`: each attribute that had a name has it still, and each word has its
/// code. Then a record that is read with `now` is understood by a model that was learned with `before`. What
/// is new is nothing to that model. Errors (kMismatch) name the first difference. O(names and words).
Status check_continued(const AttributeNames& before, const AttributeNames& now);

}  // namespace glimpse
