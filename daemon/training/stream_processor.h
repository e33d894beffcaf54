#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/state.h"
#include "daemon/buying/spending.h"
#include "daemon/feeds/block.h"
#include "daemon/feeds/input_progress.h"
#include "daemon/feeds/source_table.h"
#include "daemon/losses/hold_out.h"
#include "daemon/predictions/words.h"
#include "daemon/reading/read_ahead.h"
#include "daemon/statistics/history.h"
#include "daemon/statistics/statistics.h"
#include "data/records/attribute_names.h"
#include "data/table_schema.h"
#include "learn/core/learner.h"
#include "learn/inference/predictor.h"
#include "learn/plans/plan_ahead.h"
#include "learn/plans/plan_book.h"

namespace glimpse {

/// The life of an example inside the daemon, without threads, sockets or clocks: records of a block are read,
/// learned from or predicted, and answered. Owns the learner, the random numbers, the names of attributes,
/// the open plans, the account of what was bought, and what is known of every feed: everything that a
/// checkpoint holds. Thread-safety: none; the trainer thread's.
class StreamProcessor {
 public:
  /// What the processor tells while it works; every member may be empty.
  struct Hooks {
    std::function<bool()> wants_pause;  ///< asked before each record: true runs `pause`
    std::function<void()> pause;        ///< between two records; everything is consistent then
    std::function<void(const Feed&, const RecordError&)> error;
    std::function<void(double label)> learned;  ///< after each learned example
    std::function<void()> predicting;           ///< before each prediction
    /// The block that waits behind the present one, where it is of the same feed.
    std::function<std::optional<TextOfLines>(const Feed&)> following;
  };

  StreamProcessor(std::unique_ptr<Learner> learner, AttributeNames names, std::uint64_t seed);

  /// Before restore(): at most how many plans are open, what tells this process' plans from others', and what
  /// may be spent. Without it there are no plans and no limits.
  void set_buying(std::size_t most_plans, std::uint32_t process, const SpendingLimits& limits);

  void set_hooks(Hooks hooks) { hooks_ = std::move(hooks); }

  /// Lines of feeds that learn are read ahead by these from now on, where that can be, and is faster or
  /// `always`. Nothing that is learned depends on it.
  void set_read_jobs(std::shared_ptr<ReadJobs> jobs, bool always = false);
  /// Who helps the learner from now on (Solving::set_helpers()), and whichever takes its place.
  void set_helpers(std::shared_ptr<Helpers> helpers);
  /// Records whose values were read so.
  std::uint64_t read_ahead() const { return read_ahead_ ? read_ahead_->taken() : 0; }

  /// How predictions are clipped from now on; auto before. Not kept in checkpoints.
  void set_clip(const Clip& clip) { predictor_.set_clip(clip); }
  const Clip& clip() const { return predictor_.clip(); }

  /// Before restore(): what labels are. Errors as Words::set_classes().
  Status set_classes(const ClassOptions& options) { return words_.set_classes(options, names_, *learner_); }
  /// What is told of a classifier's predictions on stream doors from now on.
  void set_predict_as(PredictAs as) { predict_as_ = as; }
  /// Whether predictions are of classes: they were named, or labels were words.
  bool is_classifier() const { return learner_->is_classifier(); }
  /// No label has said whether labels are classes.
  bool has_learned_nothing() const { return learner_->counts().examples == 0 && !is_classifier(); }
  /// Labels are classes, of which none came yet. REQUIRES: has_learned_nothing().
  void begin_classes() { learner_->make_classifier(); }
  /// REQUIRES: is_classifier().
  ClassFacts class_facts() const;
  /// For an answer whose predictions are made at several moments.
  std::shared_ptr<const PinnedModel> pin() const {
    return std::make_shared<const PinnedModel>(*learner_, hold_out_.slope());
  }

  /// Works through a block. May be called from Hooks::pause. False when `strict` is set and a record could
  /// not be read: that record, its plan and what follows are then left, as if they had not come. So they are
  /// where there was no memory for a record of an input that can be given again (BlockResult::gave_up).
  bool process(Block& block, bool strict, BlockResult& result);
  /// Whether end_sample() stops at a record that cannot be read, as process() does with `strict`.
  void set_strict(bool strict) { is_strict_ = strict; }
  /// How many bytes of records may wait for the ends of their samples; beyond, all of these end.
  void set_most_waiting(std::size_t bytes) { most_waiting_ = bytes; }
  /// Nobody waits for more records of the sample of `feed` (Feed::decide): it is read as those say that came,
  /// and they are worked through. `is_end`: of it comes no more than is queued. Nothing where it is decided.
  void end_sample(const std::shared_ptr<Feed>& feed, bool is_end);
  /// The same of all feeds; but for those of bodies, where it is not the end.
  void end_samples(bool is_end);
  /// Where that stopped at a record, of which door; once.
  std::optional<std::pair<std::string, RecordError>> take_failure() { return std::exchange(failure_, {}); }

  /// The labelled records that are not learned from; none are at first. What was held out is kept in
  /// checkpoints, the share is not.
  /// How many examples the recent losses are of (ProgressiveLoss::set_recent()).
  void set_recent(std::uint64_t examples);
  HoldOut& hold_out() { return hold_out_; }
  const HoldOut& hold_out() const { return hold_out_; }

  /// Whether anything is learned: while frozen labelled records are judged and counted, and plans stay as
  /// they are. Kept in checkpoints.
  Freeze& freeze() { return freeze_; }
  /// What is held out from now on is kept for test_kept().
  void keep_held_out() { kept_.emplace(); }
  bool has_kept() const { return kept_.has_value(); }
  /// The model of all that was learned predicts what was kept, which counts as what comes while it is frozen.
  /// REQUIRES: nobody else solves for the model now, nor learns.
  void test_kept();
  const Freeze& freeze() const { return freeze_; }

  /// How learning went: kept in checkpoints, and nothing that is learned depends on it.
  History& history() { return history_; }
  const History& history() const { return history_; }

  /// The learner of `other`, which a checkpoint gave, takes the place of this one's, with its random numbers
  /// and what was held out: what comes is learned as by a start from that checkpoint. All else stays: names,
  /// the positions of inputs and sources, open plans, what was spent, whether it is frozen. `other` holds the
  /// one before, for whom points to it. Errors (kMismatch): the names of now do not continue those of
  /// `other`; nothing has changed then. Between two records. Cost: one look at every name.
  Status promote(StreamProcessor& other, const std::string& checkpoint);
  /// Undoes promote(), as the last thing that was done: what was learned from then on is lost. What promote()
  /// took from `other` is there again. Cost: as the exchange. Allocates nothing.
  void undo_promotion(StreamProcessor& other);
  /// `other`, restored from `state`, takes the place of this one: it is what merging made of this one and of
  /// others. Names grow, and sources and inputs that it has beside these are known from now on; open plans,
  /// what is frozen and the history stay. `other` holds the learner before. Errors: kCorrupt where `state` is
  /// not what `other` was restored from. Between two records. Cost: that of restoring the names.
  Status take_merged(StreamProcessor& other, const State& state);
  /// The same of a fleet's newest model, which has nothing of this one in it: what was predicted here stays.
  Status take_fleet(StreamProcessor& other, const State& state) {
    const std::uint64_t predictions = predictions_;
    const Status status = take_merged(other, state);
    if (status) sources_.take_all(other.sources_);  // which are its partitions
    predictions_ = predictions;
    return status;
  }
  /// Names the learner, by a number that no other one has, where it has no name yet: merging knows by it what
  /// is inside already (MERGING.md). Kept in checkpoints. Nothing that is learned depends on it.
  void name_learner(std::uint64_t name) {
    if (learners_.empty()) learners_.push_back(name);
  }
  /// The last one.
  const Promotion& promotion() const { return promotion_; }
  /// Changes with each learner: what was copied from another one says nothing of this one's features.
  std::uint64_t life() const { return life_; }

  /// A feed whose reader shares this processor's names. For a file that was read before, it knows the
  /// position to resume at. Thread-safety: before the trainer runs, or on its thread.
  std::shared_ptr<Feed> make_feed(std::shared_ptr<Door> door, Format format, const FormatOptions& options,
                                  std::size_t max_line_bytes, const std::string& addressable_name);

  /// How far inputs were read. Before the trainer runs.
  InputProgress& input_progress() { return progress_; }

  /// How many partitions of that topic are known, which are inputs "TOPIC/0" and on.
  std::int64_t known_partitions(const std::string& topic) const {
    return static_cast<std::int64_t>(progress_.count_of(topic + "/"));
  }

  /// open_source() of source_table.h.
  Status open_source(const std::shared_ptr<Feed>& feed, const std::string& name,
                     std::optional<std::uint64_t> from) {
    if (feed->decide) std::exchange(feed->decide, {})(*this, *feed, {}, true);
    return glimpse::open_source(sources_, names_, feed, name, from);
  }
  SourceTable& sources() { return sources_; }
  const SourceTable& sources() const { return sources_; }

  Learner& learner() { return *learner_; }
  const Learner& learner() const { return *learner_; }
  const AttributeNames& names() const { return names_; }
  AttributeNames& names() { return names_; }
  /// What is known of attributes that hold words, and of the label's.
  Words& words() { return words_; }
  /// What rows of tables without a header are, from the first table on: kept in checkpoints.
  TableLayout& known_table() { return known_table_; }
  PlanBook& plans() { return plans_; }
  const PlanBook& plans() const { return plans_; }
  /// Closes the plans whose time has come. What plans that were given up brought of words and kinds is
  /// forgotten: to be called after others were closed as well.
  void expire_plans(double now);
  BuyingGate& buying() { return buying_; }
  const BuyingGate& buying() const { return buying_; }

  /// Draws the next plan into scratch_plan(); `available`: from these alone, in strictly ascending order.
  Status draw_plan(const std::vector<Attribute>* available);
  Plan& scratch_plan() { return plan_; }
  /// Learns from a plan whose values were obtained, and keeps account of it.
  /// `promised`: see Spending::note().
  Outcome learn(Door& door, const Plan& plan, std::span<const double> values, std::span<const double> labels,
                double importance, std::optional<Money> promised = std::nullopt);

  std::uint64_t predictions() const { return predictions_; }
  /// Predictions that were made outside.
  void note_predictions(Door& door, std::uint64_t count) {
    predictions_ += count;
    door.predictions += count;
  }
  /// Records of any kind and changes to plans seen by this process: changes whenever anything did.
  std::uint64_t records() const { return records_; }
  /// What a checkpoint holds has changed otherwise than by a record.
  void note_change() { ++records_; }

  /// Everything, as of the last record that was processed. Does not change anything.
  void save(State& state) const;
  /// Continues from what save() wrote. Errors as Learner::restore(); the processor must not be used after
  /// one.
  Status restore(const State& state);

  /// Whether restore() would take a state that a processor of this dimension saved: the numbers by
  /// check_state(), all else by restoring it into parts made for that. Thread-safety: a pure function. Cost:
  /// one look at every number; memory for names, open plans and sources alone.
  static Status check(const State& state, std::size_t dimension);

  /// How inputs are read. Checkpoints keep it once a record with a label was taken.
  void set_schema(const TableSchema& schema) { schema_ = schema; }
  const TableSchema& schema() const { return kept_schema_ ? *kept_schema_ : schema_; }
  /// The log has said already that many values of this attribute are no numbers.
  void note_odd_told(Attribute attribute) { odd_values_[attribute].is_told = true; }

 private:
  double values_of_added_names() const;
  bool is_bare_word(std::span<const double> values, double label) const;
  void settle_names(Outcome outcome, double importance, double values_before);
  void note_error(Feed& feed, std::string_view message, BlockResult& result);
  void note_odd_values(Feed& feed, bool is_refused);
  bool decide(Block& block, bool strict, BlockResult& result);
  bool process_table(Block& block, bool strict, BlockResult& result);
  bool process_records(Block& block, bool strict, BlockResult& result);
  bool take_record(Feed& feed, std::string_view record, bool strict, BlockResult& result);
  bool is_question(const Feed& feed) const;
  void note_taken(Feed& feed);
  void promise_numbers();
  static void note_question(Feed& feed);
  void check_contents(Feed& feed, BlockResult& result);
  void put_back(Feed& feed, std::uint64_t predictions);
  void put_back_draws(Feed& feed);
  bool pass_messages(Feed& feed, std::size_t at, bool strict, BlockResult& result);
  std::uint64_t fingerprint(const Feed& feed) const;
  void note_cut_off(Feed& feed, BlockResult& result);
  bool note_end(Feed& feed, BlockResult& result);
  bool wants_marks(const Feed& feed) const;
  bool may_read_ahead(const Feed& feed) const;
  bool begin_reading(const Block& block);
  void read_on(const Feed& feed);
  const ReadJob::Found* found(const Feed& feed);
  bool take_plain(const PlainExample& example);
  Status answer_found(Feed& feed, const ReadJob::Found& found, BlockResult& result);
  Status learn_found(Feed& feed, const ReadJob::Found& found, BlockResult& result);
  Status learn_values(Feed& feed, const Plan& plan, std::span<const double> values, double importance,
                      BlockResult& result);
  void tell_reader(const std::shared_ptr<Feed>& feed) const;
  std::size_t measure_line(const Feed& feed, std::string_view rest) const;
  Status try_record(Feed& feed, std::string_view record, BlockResult& result);
  Status process_record(Feed& feed, std::string_view record, BlockResult& result);
  Status answer(Feed& feed, std::string_view tag, BlockResult& result);
  void reply(const Feed& feed, std::string_view tag, BlockResult& result);
  void add_prediction(const Feed& feed, BlockResult& result);
  static void note_first_example(Feed& feed);
  static void note_header(Feed& feed, std::string_view record);
  void prefetch_following(const Feed& feed) const;
  bool is_lost() const { return lost_ != nullptr && lost_->load(std::memory_order_relaxed); }
  Status predict(Feed& feed, BlockResult& result);
  Status hold_out(const Feed& feed, BlockResult& result);
  void evaluate_unlearned();
  template <class Predict>
  void add_errors(UnlearnedLosses& losses, const Predict& predict) const;
  Status pass_over(const Feed& feed, BlockResult& result);
  Status read_whole(const Feed& feed, KeptRecords* kept = nullptr);
  Status take_labels(const ExampleHead& head);
  Status read_entries(ExampleReader& reader);

  void tell_helpers() const;
  void exchange(StreamProcessor& other);

  std::shared_ptr<Helpers> helpers_;
  std::unique_ptr<Learner> learner_;
  AttributeNames names_;
  TableLayout known_table_;
  Words words_;
  Random random_;            // plans are begun from
  Random inner_random_;      // and, where they are not drawn at once, finished
  const bool looks_at_few_;  // of the attributes of a line that it learns from
  PlanAhead plans_ahead_;
  std::optional<ReadAhead> read_ahead_;
  PlanBook plans_{0, 0};
  std::uint64_t plans_given_up_ = 0;
  bool are_promises_stale_ = false;  // promise_numbers() is due
  BuyingGate buying_;
  Hooks hooks_;
  Predictor predictor_;
  PredictAs predict_as_ = PredictAs::kLabel;
  HoldOut hold_out_;
  std::uint64_t recent_ = ProgressiveLoss::kRecent;
  std::uint64_t alarms_ = 0;      // of the learner, when the recent losses of what is held out began
  std::uint64_t beginnings_ = 0;  // of the learner, when all losses of it began
  Freeze freeze_;
  std::optional<KeptRecords> kept_;
  History history_;
  Promotion promotion_;
  std::vector<std::uint64_t> learners_;  // the names of this one and of those that were merged into it
  std::vector<std::uint64_t> merged_;    // checksums of the checkpoints that are merged in
  std::uint64_t life_ = 0;
  std::uint64_t predictions_ = 0;
  std::uint64_t records_ = 0;
  InputProgress progress_;
  TableSchema schema_;
  std::optional<TableSchema> kept_schema_;  // by which records with labels were taken; none: none was
  bool keeps_schema_ = false;               // `schema_` is in it
  SourceTable sources_;

  std::vector<std::weak_ptr<Feed>> undecided_;  // whose records wait for the end of a sample
  std::size_t most_waiting_ = ~std::size_t{0};
  std::optional<std::pair<std::string, RecordError>> failure_;

  // The block of an addressable feed that is being processed, and where in the feed it begins.
  const Feed* current_feed_ = nullptr;
  std::string_view current_bytes_;
  const std::atomic<bool>* lost_ = nullptr;  // of the block
  bool reads_ahead_ = false;                 // read_ahead_ is about the block
  bool has_plan_ = false;                    // the record has drawn one
  bool has_head_ = false;                    // and was opened: what stands beside its attributes is known
  bool is_refused_ = false;                  // and could not be read
  bool is_with_learner_ = false;             // it was given to the learner, which counts it
  bool is_empty_ = false;                    // it is no example: a header, a comment, blank
  bool has_number_ = false;                  // it counts in hold_out_
  bool is_passed_over_ = false;              // and in freeze_
  bool has_values_in_learner_ = false;       // the record does
  struct OddValues {
    std::uint64_t count = 0;
    bool is_told = false;
  };
  std::map<Attribute, OddValues> odd_values_;  // words where numbers are, of this run
  bool is_block_strict_ = false;               // the block is to be worked through so
  bool is_strict_ = false;                     // and so are records that waited for a sample
  bool lacks_memory_ = false;                  // the record does
  std::string_view following_;                 // what comes behind the record in its block
  std::span<const BlockMessage> messages_;     // of the block: those that are not worked through
  std::uint64_t current_begin_ = 0;

  bool pausing_ = false;  // a pause may process blocks of its own: predictions that somebody waits for
  Plan plan_;
  std::vector<double> values_;
  std::vector<double> labels_;  // of the record
  std::vector<Entry> entries_;  // of an example, for learners that learn from them
};

}  // namespace glimpse
