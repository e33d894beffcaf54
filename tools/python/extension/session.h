#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "data/records/attribute_names.h"
#include "data/records/cell.h"
#include "learn/classes/temperature.h"
#include "learn/core/learner.h"
#include "learn/inference/predictor.h"
#include "learn/plans/plan_ahead.h"
#include "learn/plans/plan_book.h"
#include "rows.h"

namespace glimpse::python {

/// What a session is begun with.
struct Beginning {
  std::map<std::string, std::string> options;  ///< of learner_option_table(), as on the command line
  std::string moments;                         ///< text of parse_moments(); empty: none
  std::string costs;                           ///< text of parse_prices(); empty: none
  std::string buying = "priced";               ///< with costs: priced, or moments or uniform, to compare with
  std::vector<std::string> names;              ///< of all attributes, or none
  std::vector<Attribute> word_attributes;      ///< those that hold words
  std::optional<std::vector<std::string>> classes;  ///< of a classifier: the words of its classes, by codes
  std::vector<std::string> labels;  ///< several, of a checkpoint that is to predict and learns no more
  std::size_t max_classes = 100;
  std::uint32_t process = 0;  ///< 24 bits that tell this session's plans from others'
  std::size_t max_categories = Categories::kUsual;
};

/// The options that decide what is computed, of which a checkpoint has those that were given.
std::vector<std::string> options_that_decide();
/// The options of a checkpoint's learner that decide what is computed, as on the command line.
std::map<std::string, std::string> options_told(const State& state);
/// Those of them that are not what its algorithm has by default.
Result<std::map<std::string, std::string>> options_chosen(const State& state);

/// The text of checkpoints in which the package keeps what a daemon has no use for.
inline constexpr std::string_view kPackageText = "python.parameters";

/// A value by name: of River's examples, which are dictionaries.
using NamedValue = std::pair<std::string, std::variant<double, std::string>>;

/// A learner in the process of those who use it: what the daemon's StreamProcessor is to its doors. It draws
/// plans, reads what they look at from rows in memory, and learns, in the same order and from the same random
/// numbers: so it has the same bits as the daemon after the same rows. Thread-safety: every call takes its
/// mutex.
class Session {
 public:
  static Result<std::unique_ptr<Session>> begin(const Beginning& beginning);
  /// Goes on from a checkpoint's state; `beginning` has what a checkpoint does not tell, as prices.
  static Result<std::unique_ptr<Session>> restore(const State& state, Beginning beginning);

  struct LearnReport {
    std::size_t learned = 0;
    std::size_t skipped = 0;
  };
  /// Learns rows [begin, end). `importances`: of each row; none: 1. Errors (kInvalidInput): an infinite value
  /// that was looked at, which leaves the rows before learned, and a word for a number.
  Result<LearnReport> learn(const Rows& rows, std::size_t begin, std::size_t end,
                            std::span<const double> labels, std::span<const double> importances);
  /// An example whose other attributes are not there: looks go to the named ones alone.
  /// Whether it was learned from. Errors (kInvalidInput) leave everything as it was but the random numbers.
  Result<bool> learn_one(const std::vector<NamedValue>& values, double label, double importance);

  /// Learns one row by a plan that `planner`, of the same dimension, makes.
  Status learn_by(Session& planner, const Rows& rows, std::size_t row, double label);
  /// Learns nothing of these whole examples of a classifier, and fits the slope of its probabilities to them,
  /// as the daemon does with what it holds out. REQUIRES codes below classes().
  Status hold_out(const Rows& rows, std::span<const double> codes, Temperature& temperature);

  /// Brings the model of learners that solve for it up to date.
  void refresh();
  /// By the newest model, a number for each label of each row. `errors`: standard errors; or empty.
  Status predict(const Rows& rows, const Clip& clip, std::span<double> out, std::span<double> errors);
  /// Of a classifier: classes() probabilities a row.
  Status probabilities(const Rows& rows, const Clip& clip, std::span<double> out);
  double predict_one(const std::vector<NamedValue>& values, const Clip& clip);
  std::vector<double> probabilities_one(const std::vector<NamedValue>& values, const Clip& clip);

  struct Told {
    std::vector<double> weights;
    double bias = 0;
  };
  /// Here and below `label` is one of several, from 0.
  Told model(std::size_t label);
  /// As ClassModel has them.
  struct ClassScores {
    std::vector<double> weights;
    std::vector<double> biases;
  };
  /// None: the learner has no such model.
  std::optional<ClassScores> class_model();
  std::vector<double> weight_errors();
  Importances importances(std::size_t label);
  /// How far predictions believe in each attribute.
  std::vector<AttributeReach> reaches() const;
  /// What a missing value of each attribute counts as where it is not told from the others: the mean.
  std::vector<double> means();
  LabelRange labels() const;
  double slope() const { return slope_; }

  /// The code of a class, which is new where it is not known.
  Result<double> class_code(const std::string& word);
  std::vector<std::string> classes() const;
  std::vector<std::string> names() const;
  /// What the weights of the model belong to, by their slots: each attribute, and categories, parts of dates
  /// and products that have one. Of a product `attributes` are its factors.
  struct Feature {
    std::uint32_t slot;
    std::string name;
    std::vector<Attribute> attributes;
  };
  std::vector<Feature> features();

  /// What the columns of the labels are called in the tables that a checkpoint's daemon learned; empty: not
  /// known.
  const std::vector<std::string>& label_names() const { return labels_; }
  /// Whether numbers of an attribute are read as they are, in place of their texts by read_cells().
  std::vector<bool> take_numbers() const;
  /// What cells of an attribute are in the tables that a checkpoint's daemon learned: a number, the code of a
  /// word, or NaN. `are_numbers`: they are written plainly, however the table writes its numbers. Errors
  /// (kInvalidInput): a cell that is none of these there. The attributes behind all are the labels, where
  /// they are numbers.
  Result<std::vector<double>> read_cells(Attribute attribute, const std::vector<std::string>& cells,
                                         bool are_numbers);

  /// Explanation of each row; `amounts` have a number for each slot. Of a classifier `classes` are the
  /// likeliest and the next one of each row.
  struct Explained {
    std::vector<double> predictions, at_means, amounts, unknown, clipped;
    std::vector<std::int32_t> classes;
  };
  /// Errors (kInvalidInput): learners whose products are known of whole examples alone, and classifiers
  /// without scores.
  Result<Explained> explain(const Rows& rows, const Clip& clip, std::size_t label);

  struct PlanGiven {
    std::string id;
    std::vector<Attribute> attributes;
    double cost = 0;
  };
  Result<PlanGiven> ask(const std::vector<Attribute>& available, double now, double expires_at);
  /// "learned", "not_learned", or "duplicate", … where it is closed already. Errors: kNotFound,
  /// kInvalidInput.
  Result<std::string> tell(const std::string& id,
                           const std::vector<std::variant<double, std::string>>& values, double label,
                           double importance, double now);
  Status abandon(const std::string& id, double now);

  /// Saved as kPackageText.
  void note(std::string text);
  State save() const;
  const Learner& learner() const { return *learner_; }
  LearnerCounts counts() const;
  std::size_t dimension() const { return names_.dimension(); }

 private:
  friend class Laboratory;

  Session(std::unique_ptr<Learner> learner, std::uint64_t seed);
  static Result<std::unique_ptr<Session>> make(const Beginning& beginning);
  static bool is_daemons(std::string_view name);
  void note_words();
  // NaN where it says that the value is missing, as in the daemon's tables.
  Result<double> read_word(Attribute attribute, std::string_view word, bool learns);
  template <class Source>
  Result<LearnReport> learn_rows(const Source& rows, std::size_t begin, std::size_t end,
                                 std::span<const double> labels, std::span<const double> importances);
  template <class Source>
  Status reveal(const Source& rows, std::size_t row, const Plan& plan);
  template <class Source>
  const Plan& plan_of(const Source& rows, std::size_t row);
  Outcome take(const Plan& plan, double label, double importance);
  template <class Source>
  Status read(const Source& rows, std::size_t row);
  // Answers each row, which predictor_ has read then.
  template <class Answer>
  Status for_each_row(const Rows& rows, const Answer& answer);
  void read_named(const std::vector<NamedValue>& values);
  void bring_up_to_date();
  Result<OpenPlan*> open_plan(const std::string& id, double now);
  using Given = std::pair<Attribute, const NamedValue*>;
  Status place(const std::vector<NamedValue>& values);
  Status plan_among_given();
  Status reveal_given();
  Status restore_rest(const State& state);
  Status restore_forms(const State& state);

  mutable std::mutex mutex_;
  std::unique_ptr<Learner> learner_;
  Predictor predictor_;
  AttributeNames names_;
  Random random_;
  Random inner_random_;
  PlanAhead plans_ahead_;
  PlanBook plans_{0, 0};
  Plan plan_;
  std::vector<double> values_;
  std::vector<Given> given_;
  std::vector<Entry> entries_;
  double slope_ = Temperature::kUsual;
  std::size_t known_words_ = 0;  // attributes that the learner knows to hold words
  bool has_news_ = false;        // something was learned since the model was solved for
  bool has_named_ = false;       // examples name their attributes
  std::uint64_t predictions_ = 0;
  Money spent_ = 0;
  std::optional<Bill> bill_;
  std::string noted_;
  std::vector<std::string> labels_;
  std::vector<ColumnForm> forms_;  // by attribute, and the labels': of a checkpoint that learned tables
  State kept_;  // what a checkpoint has of which a session has no use: it goes back as it came
};

}  // namespace glimpse::python
