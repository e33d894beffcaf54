#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/feeds/replies.h"
#include "daemon/feeds/topic_progress.h"
#include "data/records/example_reader.h"
#include "data/records/record_framer.h"
#include "data/table_schema.h"

namespace glimpse {

struct LineMarks;
struct TokenRule;
struct PinnedModel;
class Predictor;
class StreamProcessor;
struct Source;

/// What goes through one door, counted since the start. `name` is the {source} of metrics: a file's path,
/// "stdin", "tcp:HOST:PORT", "unix:PATH", "http" or "kafka:TOPIC". Owned by the trainer thread once blocks
/// flow; copied out through Statistics.
struct Door {
  std::string name;
  std::string kind;  ///< stdin, file, tcp, unix, http or kafka
  std::uint64_t examples = 0;
  std::uint64_t predictions = 0;
  std::uint64_t frozen = 0;  ///< labelled records that came while nothing was learned
  std::uint64_t parse_errors = 0;
  std::uint64_t tombstones = 0;  ///< messages without a value: nothing to learn from
  std::uint64_t oversized = 0;   ///< messages with a line over --max-line, which are errors as well
  std::uint64_t bytes = 0;
  std::shared_ptr<const TopicProgress> topic;  ///< of a topic; nullptr: it is none, or not read here
  std::string failure;                         ///< why reading of an input ended too early; empty: it did not
  bool is_topic() const { return kind == "kafka"; }
  bool is_input() const { return kind == "file" || kind == "stdin" || is_topic(); }
  std::uint64_t empty_records = 0;   ///< blank, comments, headers, or of delimiters alone
  std::uint64_t odd_values = 0;      ///< words where numbers are, which counted as missing
  std::uint64_t sample_records = 0;  ///< of the sample that decided how it is read; 0: none did
  std::uint64_t filled_records = 0;  ///< rows that lacked fields, which counted as missing (--short-rows)
  bool told_row_ends = false;        ///< the log says that rows end with a delimiter
  bool logged_sample = false;        ///< and that its first records wait for each other
};

/// What tells a file of which something was read from another file of the same name: its first 4 KiB, and
/// the last 4 KiB before the place that was reached. Content between the two is not compared. Memory: 8 KiB.
class Fingerprint {
 public:
  static constexpr std::size_t kBytes = 4096;

  Fingerprint() = default;
  /// Of content whose first and last kBytes (all of it where it is shorter) are known.
  Fingerprint(std::string_view head, std::string_view tail) : head_(head), tail_(tail) {}

  /// The next bytes that were read.
  void add(std::string_view bytes);

  /// XXH3-64 (seed 0) of the head followed by the tail; kept in checkpoints. Never 0, which stands for
  /// "not known".
  std::uint64_t value() const;

 private:
  std::string head_;
  std::string tail_;
};

/// The first bytes of an input, and their XXH3-64 (seed 0).
struct InputBeginning {
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;
};

/// Where a record begins in an input: by default nowhere.
struct RecordPlace {
  std::uint64_t position = ~std::uint64_t{0};  ///< in bytes
  std::uint64_t records = 0;                   ///< before it
};

/// Words where numbers are, of one attribute, which counted as missing.
struct OddAttribute {
  std::string attribute;  ///< as people call it
  std::string first;
  std::uint64_t record = 0;  ///< of the first, from 1
  std::uint64_t count = 0;
};

/// One stream of bytes that comes in through a door: a file, or one connection. Owned by the trainer thread.
struct Feed {
  std::shared_ptr<Door> door;
  std::unique_ptr<ExampleReader> reader;
  /// What `reader` reads with, where it wraps another one; nullptr: it wraps none.
  const ExampleReader* inner_reader = nullptr;
  Framing framing = Framing::lines(1);
  Replies replies = Replies::kUnlabelled;
  /// Blocks that were pushed and are not done.
  std::atomic<std::uint32_t> waiting{0};
  /// What divides the fields of its lines, where these are worth finding before the trainer comes to them
  /// (LineMarker); 0: nothing, or not known yet.
  std::atomic<char> delimiter{0};
  /// How the tokens of its lines are found there, where that is worth while; nullptr as well.
  std::atomic<const TokenRule*> token_rule{nullptr};
  /// Its lines are worth finding there (Block::lengths).
  std::atomic<bool> wants_lengths{false};
  ErrorReplies error_replies = ErrorReplies::kAnswered;
  /// Whether the newest record of which that is known had no label; none: there was none.
  std::optional<bool> asked_last;
  bool may_learn = true;          ///< its client may: else labelled records are refused, and no name is given
  bool learns = true;             ///< /v1/predict: labels are ignored, nothing is learned
  bool takes_odd = false;         ///< also where errors end it, words where numbers are count as missing
  std::uint64_t odd_values = 0;   ///< those that did
  std::vector<OddAttribute> odd;  ///< of the first attributes that had some
  PredictAs predict_as = PredictAs::kProbabilities;  ///< what is kept of a classifier's, where not `learns`
  bool tells_errors = false;  ///< each prediction has a standard error, also of records that lack no value
  /// Of several labels the one that predictions are of, where not `learns`; none: all of them.
  std::optional<std::size_t> label;
  /// What predictions are made with; nullptr: the newest model.
  std::shared_ptr<const PinnedModel> pinned;
  /// Called on the trainer's thread after each prediction, where not empty: may ask for its reasons, or
  /// refuse.
  std::function<Status(Predictor&)> explain;
  std::uint64_t records = 0;  ///< lines or rows seen, for messages
  /// Of a source: stands for these records (contents_with()); none: not known.
  std::optional<std::uint64_t> contents = std::nullopt;
  /// Of a FIFO: makes the reader of the next writer's table, on the trainer's thread, where `reader` is none.
  std::function<void(Feed&)> begin_table;
  /// Decides by the first records, all that have come, how they are read, and changes `reader`; false: more
  /// are needed. `is_whole`: no more come. Empty: it is decided. On the trainer's thread.
  std::function<bool(StreamProcessor&, Feed&, std::string_view records, bool is_whole)> decide;
  std::string undecided;  ///< the records that wait for it
  /// Of a table decided so, whose blocks are cut by `framing`, as others know it: by its records; or none.
  std::optional<RecordFramer> table_framer;
  std::string begun;                 ///< of such a table: a record that goes on in the next block
  bool is_ending = false;            ///< nothing comes but what is queued already
  bool has_waiting_example = false;  ///< among the records that wait
  /// Told on the trainer's thread, where not empty: replies to records whose blocks are done, and how many of
  /// these were learned.
  std::function<void(std::string replies, std::uint64_t learned)> send_late;
  std::uint64_t header = 0;    ///< which of them names the columns of its table; 0: none, or not yet
  bool has_first_row = false;  ///< an example, or a header, was found
  bool has_example = false;    ///< one was found
  /// Bytes of the stream that were processed; of messages the offset of the first that was not, as a whole.
  std::uint64_t position = 0;
  /// It is a partition of a topic: records come in messages (Block::messages).
  bool in_messages = false;
  std::uint64_t records_before = 0;  ///< of messages: the records before `position`
  std::string
      addressable_name;  ///< a file's canonical path: its position is kept in checkpoints; empty for others
  RecordPlace first_question;  ///< of an addressable input: its first record without a label
  /// A record with a label was taken: of this feed; and of its addressable input at any time. Before that
  /// nothing of the input is inside, and a later start reads it from its beginning.
  bool is_taken = false;
  bool is_begun = false;
  std::optional<TableSchema> schema;  ///< of an addressable input: by which it was read; none: not known
  std::optional<RecordForm> sampled;  ///< what its sample showed; none: it has none
  bool has_own_reading = false;       ///< it is read otherwise than the options say, as a body asks for it
  /// Reads the same input a second time, from its first question up to `position`, so that these questions
  /// are answered in this run as well; nullptr: it has none, or nobody wants answers.
  std::shared_ptr<Feed> again;
  /// Of such a feed: records with a label are passed over, as they are inside already; `goes_on`: behind it.
  bool only_answers = false;
  std::weak_ptr<Feed> goes_on;
  std::shared_ptr<Source> source;  ///< that it carries; none: a stream without a name
  /// Another feed carries the source now, or this one gave up: what still comes of it is thrown away.
  bool retired = false;
  /// Told on the trainer's thread, where not empty: so many records of the source are durable; and that it is
  /// retired. A feed that cannot be told so is not retired: its source is refused to others.
  std::function<void(std::uint64_t)> durable;
  std::function<void()> retire;
  /// Told on the trainer's thread, where not empty: there was no memory for a record, and the input, which
  /// can be given again, is not learned from any more. Where it is empty, and there is no source, that record
  /// is passed over.
  std::function<void()> gave_up;
  Fingerprint fingerprint;              ///< of the blocks that were processed, where addressable
  std::uint64_t known_fingerprint = 0;  ///< of what stands before `position`, from a checkpoint; 0: not known
  InputBeginning beginning;             ///< of an addressable input, not beyond `position`

  /// How its blocks divide into records. On the trainer's thread.
  const Framing& records_framing() const { return table_framer ? table_framer->framing() : framing; }
};

/// An example that could not be read.
struct RecordError {
  std::uint64_t record = 0;  ///< counted from 1 in its feed
  std::string message;
};

/// What a classifier predicted for the records of a block.
struct ClassifiedRecords {
  std::vector<double> probabilities;  ///< of the predicted classes
  std::vector<double> margins;        ///< log of these over those of the next most likely classes
  std::size_t classes = 0;            ///< of the model
  std::vector<double> numbers;        ///< `classes` a record: probabilities or scores, as asked for

  /// Those of a later block, by the same model.
  void append(const ClassifiedRecords& more) {
    classes = more.classes;
    for (const auto member :
         {&ClassifiedRecords::probabilities, &ClassifiedRecords::margins, &ClassifiedRecords::numbers})
      (this->*member).insert((this->*member).end(), (more.*member).begin(), (more.*member).end());
  }
};

/// What was predicted of one label.
struct LabelPredictions {
  std::vector<double> predictions;
  /// Of these, up to the last example that lacked a value; empty: none did. NaN: not known yet.
  std::vector<double> standard_errors;
  double error_of_complete = 0;  ///< of the predictions behind these

  /// The standard error of the newest prediction, whose example lacked a value.
  void add_error(double incomplete, double complete) {
    error_of_complete = complete;
    standard_errors.resize(predictions.size() - 1, complete);
    standard_errors.push_back(incomplete);
  }
  /// One a prediction; empty where no example lacked a value.
  std::vector<double> all_errors() const {
    std::vector<double> errors = standard_errors;
    if (!errors.empty()) errors.resize(predictions.size(), error_of_complete);
    return errors;
  }
  /// The errors alone of a later block, by the same model, which comes behind `before` predictions.
  void append_errors(const LabelPredictions& more, std::size_t before) {
    if (more.standard_errors.empty()) return;
    standard_errors.resize(before, more.error_of_complete);
    error_of_complete = more.error_of_complete;
    standard_errors.insert(standard_errors.end(), more.standard_errors.begin(), more.standard_errors.end());
  }
  /// Those of a later block, by the same model.
  void append(const LabelPredictions& more) {
    append_errors(more, predictions.size());
    predictions.insert(predictions.end(), more.predictions.begin(), more.predictions.end());
  }
};

/// What became of a block, and what was predicted for it: of several labels of the first, or of the one that
/// the feed asks for.
struct BlockResult : LabelPredictions {
  std::string replies;                    ///< whole lines
  std::vector<LabelPredictions> further;  ///< of several labels those of all but the first
  ClassifiedRecords classified;           ///< of a classifier, whose predictions are codes of classes
  std::vector<RecordError> errors;        ///< the first kMostErrors
  std::uint64_t learned = 0;
  std::uint64_t skipped = 0;
  std::uint64_t beyond_budget = 0;  ///< of these: --total-budget or --total-cost did not allow them
  std::uint64_t frozen = 0;         ///< and of these: nothing is learned now
  std::uint64_t held_out = 0;       ///< by --hold-out: predicted and counted, not learned
  std::uint64_t unlabelled = 0;     ///< records without a label that a feed that learns brought: predicted
  std::uint64_t error_count = 0;
  std::uint64_t inside = 0;  ///< records of the feed's source that are inside
  std::string refusal;       ///< Source::refusal
  /// There was no memory for a record that must not be lost: it, and what follows it in its feed, was left.
  bool gave_up = false;

  static constexpr std::size_t kMostErrors = 100;
};

/// Bytes and who keeps them.
struct Bytes {
  std::string_view view;
  std::shared_ptr<const void> memory;
  bool has_quote = true;  ///< of a table's records, or it is not known

  Bytes() = default;
  Bytes(std::string_view bytes, std::shared_ptr<const void> keeper)
      : view(bytes), memory(std::move(keeper)) {}
  /// Takes a text.
  explicit Bytes(std::string text) {
    auto kept = std::make_shared<const std::string>(std::move(text));
    view = *kept;
    memory = std::move(kept);
  }
  std::size_t size() const { return view.size(); }
};

/// Lines and where they end, of a block that waits.
struct TextOfLines {
  Bytes bytes;
  /// Their lengths without newlines; nullptr: nobody found them yet.
  std::shared_ptr<const std::vector<std::uint32_t>> lengths = {};
};

/// A message of a topic within a block.
struct BlockMessage {
  std::size_t end = 0;       ///< of its records in the block's bytes: it begins where the one before ended
  std::uint64_t offset = 0;  ///< in its partition
  bool is_tombstone = false;
  /// Why none of it is read, where it is not; it has no bytes in the block then.
  std::shared_ptr<const std::string> refusal;
  bool is_oversized = false;  ///< it has a line over the limit, which is why
};

/// Whole records of one feed on their way to the trainer.
struct Block {
  std::shared_ptr<Feed> feed;
  Bytes bytes;
  /// Becomes true when `bytes` turn out not to be the file's any more (MappedWindow); kept by bytes.memory.
  /// nullptr: they always are.
  const std::atomic<bool>* lost = nullptr;
  std::shared_ptr<const LineMarks> marks;  ///< of the bytes; or none
  /// Of the lines in the bytes: their lengths without newlines; nullptr: nobody found them.
  std::shared_ptr<const std::vector<std::uint32_t>> lengths;
  /// The messages that the bytes came in, in ascending order of their offsets; nullptr: they came in none.
  std::shared_ptr<const std::vector<BlockMessage>> messages;
  InputBeginning beginning;  ///< of an addressable input: Feed::beginning behind the block
  bool is_last = false;      ///< nothing of the feed comes behind it: what is missing is an error
  bool cut_off = false;  ///< the beginning of a record whose end never came: counted and told, not learned
  /// Called once on the trainer's thread when the block is done; must be quick and not throw.
  std::function<void(BlockResult&&)> done;
};

}  // namespace glimpse
