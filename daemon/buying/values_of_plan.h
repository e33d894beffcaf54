#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "data/records/attribute_names.h"
#include "learn/core/plan.h"
#include "learn/plans/told_labels.h"

namespace glimpse {

/// An attribute, by its name or else its number, or, as a number in JSON, by its number.
struct CalledAttribute {
  std::string text;
  bool is_number = false;
};

/// What somebody tells of a plan. An attribute is called by name or number.
struct Told {
  /// The value of one attribute.
  struct Value {
    std::string_view attribute;  ///< empty: by its place in the plan
    double value = 0;            ///< NaN: refused, or a word
    std::string_view text = {};  ///< of the number or the word; empty: refused
  };
  std::string_view id;
  std::optional<double> label;  ///< NaN: a word
  std::string_view label_text;  ///< of the number or the word
  std::optional<double> importance;
  bool has_labels = false;       ///< several are told, each by its name
  std::size_t labels_begin = 0;  ///< of TellBatch::labels
  std::size_t labels_end = 0;
  bool has_values = false;
  bool in_plan_order = false;    ///< values are an array
  std::size_t values_begin = 0;  ///< of TellBatch::values
  std::size_t values_end = 0;
  std::size_t refused_begin = 0;  ///< of TellBatch::refused
  std::size_t refused_end = 0;
  std::string error;  ///< the item could not be read
};

/// Items that came together. Views are of `arena`.
struct TellBatch {
  std::vector<Told> items;
  std::vector<Told::Value> values;
  std::vector<Told::Value> labels;  ///< by name in place of an attribute; without a text: not told yet
  std::vector<CalledAttribute> refused;
  std::string arena;
};

/// The values of a plan as an item tells them. `plan` and `names` outlive it. Thread-safety: none.
class ValuesOfPlan {
 public:
  ValuesOfPlan(const Plan& plan, AttributeNames& names) : plan_(plan), names_(names) {}

  /// Errors (kInvalidInput) say why they are not the values of the plan. Words may have got codes then, which
  /// the caller takes back.
  Status read(const TellBatch& batch, const Told& item);

  /// One an attribute of the plan; NaN: refused.
  const std::vector<double>& values() const { return values_; }

 private:
  static constexpr char kNotTold = 0;
  static constexpr char kTold = 1;

  Result<std::size_t> find(std::string_view text, bool is_number = false) const;
  Status take_in_order(std::span<const Told::Value> values);
  Status take_named(std::span<const Told::Value> values);
  Result<double> value_of(Attribute attribute, const Told::Value& value);

  const Plan& plan_;
  AttributeNames& names_;
  std::vector<double> values_;
  std::vector<char> state_;
};

/// The labels that an item tells of a plan: one, or of several those that are there. Each is told once it is
/// known; a plan is learned from with all of them. Thread-safety: none.
class LabelsOfItem {
 public:
  /// `names`: of several labels; none or one: there is one label, which may be a word. They outlive this.
  explicit LabelsOfItem(std::span<const std::string> names)
      : names_(names), labels_(names.size() > 1 ? names.size() : 1) {}

  /// Errors: kMismatch where these are not labels of the model, kInvalidInput where one cannot be learned
  /// from. A word of the one label may have got a code then, which the caller takes back.
  Status read(const TellBatch& batch, const Told& item, AttributeNames& attributes);

  /// Puts those that were told in place of those before.
  void tell(ToldLabels& labels) const;

  /// A label that differs from what was told before.
  struct Change {
    std::string name;                          ///< "label", or of several "label 'temp'"
    std::string label;                         ///< of several what it is called
    std::variant<double, std::string> before;  ///< a word where labels are words
    std::string before_text;                   ///< the same as a message has it
    std::string now;                           ///< as a message has it
  };
  /// In the order of the labels. `item`: that of read(), which may have found it unsound: of one label this
  /// is a change as well.
  std::vector<Change> changes(const ToldLabels& before, const Told& item, const Categories& categories) const;

  /// Of a plan of which these were told: "the label is", or of several "the label 'cnt' is"; empty: none is
  /// missing.
  std::string missing(const ToldLabels& told) const;

 private:
  bool are_several() const { return labels_.size() > 1; }
  std::string name_of(std::size_t l) const;
  Status read_one(const Told& item, AttributeNames& attributes);
  Status read_several(const TellBatch& batch, const Told& item);

  std::span<const std::string> names_;
  std::vector<std::optional<double>> labels_;
};

}  // namespace glimpse
