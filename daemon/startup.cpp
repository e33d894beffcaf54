#include "daemon/startup.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <random>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include "base/file_lock.h"
#include "daemon/config/schema_choice.h"
#include "daemon/config/schema_file.h"
#include "daemon/net/listener.h"
#include "daemon/net/tls.h"
#include "daemon/net/tokens.h"
#include "daemon/topic_doors.h"
#include "data/first_records.h"
#include "data/records/attribute_names.h"
#include "data/text/shell_words.h"
#include "data/text/text.h"
#include "learn/factory.h"
#include "learn/gradient/moments_file.h"
#include "learn/options/budget_limit.h"
#include "learn/options/learner_option_table.h"
#include "learn/options/pair_products.h"
#include "learn/options/prices.h"
#include "learn/options/state_options.h"
#include "learn/pairwise/grown_state.h"

namespace glimpse {

namespace {

// The first few of them; "attributes 12 to 14" where they have no names.
std::string new_attributes(std::size_t before, std::size_t now, const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 5;
  if (names.size() != now)
    return now == before + 1 ? fmt::format("number {}", before)
                             : fmt::format("numbers {} to {}", before, now - 1);
  std::string text;
  for (std::size_t i = before; i < std::min(now, before + kMostNamed); ++i)
    text.append(i > before ? ", " : "").append(names[i]);
  return now > before + kMostNamed ? text + ", ..." : text;
}

// What a start changes about the state that it goes on from: attributes that are new, behind those that the
// state has, and another budget. `names` are those of all attributes now, none where nobody says them.
// Nothing: the state fits as it is, or is of a learner that cannot change so; restoring it then says what to
// do instead. The log tells what changed, unless `is_quiet`. Errors: of with_more_attributes().
Result<std::optional<State>> grow(const State& state, const LearnerOptions& options,
                                  const std::vector<std::string>& names, bool is_quiet = false) {
  const std::string_view algorithm = option_of(state, "algorithm");
  const bool same = options.algorithm == kAutomatic || options.algorithm == algorithm;
  std::optional<State> grown;
  if (!same || !keeps_pairs(algorithm)) return grown;
  const std::size_t before = number_of(state, "dimension");
  const std::size_t now = options.dimension > 0 ? options.dimension : names.size();
  if (now > before) {
    LearnerOptions all = options;
    all.dimension = now;
    GLIMPSE_TRY_ASSIGN(grown, with_more_attributes(state, now, active_limit(all)));
    if (!is_quiet)
      spdlog::info("{} new attribute{} behind the {} of the state: {}", now - before,
                   now == before + 1 ? "" : "s", before, new_attributes(before, now, names));
  }
  const std::size_t budget = number_of(state, "budget");
  if (options.budget > 0 && options.budget != budget) {
    GLIMPSE_TRY_ASSIGN(grown, with_budget(grown ? *grown : state, options.budget));
    if (!is_quiet) spdlog::info("--budget {}: the state was made with {}", options.budget, budget);
  }
  return grown;
}

// The names that the attributes of `state` have, all of which a header or file gave them, and behind them
// those of `header` that are not among them. Empty: the state has not all names, or the header not all of
// the state's.
std::vector<std::string> names_with_new(const State& state, const std::vector<std::string>& header) {
  AttributeNames known(number_of(state, "dimension"));
  if (!known.restore(state) || !known.are_complete()) return {};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < known.dimension(); ++i)
    names.emplace_back(known.name(static_cast<Attribute>(i)));
  const auto is_in_header = [&](const std::string& name) {
    return std::ranges::find(header, name) != header.end();
  };
  if (!std::ranges::all_of(names, is_in_header)) return {};
  for (const std::string& name : header)
    if (!known.find(name)) names.push_back(name);
  return names;
}

Result<std::string> read_text(FileSystem& files, const char* option, const std::string& path) {
  const auto bytes = files.read(path);
  if (!bytes) return failure(ErrorCode::kInvalidOption, "--{} {}: {}", option, path, bytes.error().message);
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    std::string line = text.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

// --algorithm auto: the one whose state is restored, else what suits the dimension.
void choose_algorithm(LearnerOptions& options, const State* state) {
  const std::string_view restored = state != nullptr ? option_of(*state, "algorithm") : std::string_view();
  options.algorithm = restored.empty() ? automatic_algorithm(options) : std::string(restored);
  spdlog::info("--algorithm auto: {}", options.algorithm);
}

// By the names of --attributes, or those of the checkpoint.
Result<std::shared_ptr<const Prices>> read_prices(const Configuration& c, FileSystem& files,
                                                  const std::vector<std::string>& fixed, const State* state) {
  const auto wrong = [&](const Error& error) {
    return failure(ErrorCode::kInvalidOption, "--costs {}: {}", c.costs_file, error.message);
  };
  GLIMPSE_TRY_ASSIGN(const auto text, read_text(files, "costs", c.costs_file));
  AttributeNames names(c.learner.dimension);
  if (state != nullptr)
    if (const Status status = names.restore(*state); !status) return wrong(status.error());
  if (!fixed.empty())
    if (const Status status = names.fix(fixed); !status)
      return failure(ErrorCode::kInvalidOption, "--attributes {}: {}", c.attributes_file,
                     status.error().message);
  auto prices = parse_prices(text, c.learner.dimension, names);
  if (!prices) return wrong(prices.error());
  return std::make_shared<const Prices>(std::move(*prices));
}

// How many attributes the limit pays for if they are the cheapest: of their own price, without what groups
// share.
std::size_t most_within_budget(const LearnerOptions& options) {
  std::vector<Money> prices;
  for (std::size_t i = 0; i < options.dimension; ++i)
    prices.push_back(options.prices->own(static_cast<Attribute>(i)));
  std::sort(prices.begin(), prices.end());
  std::size_t count = 0;
  for (Money left = *options.budget_cost; count < prices.size() && prices[count] <= left; ++count)
    left -= prices[count];
  return count;
}

// Whether a budget is given where the algorithm has one. Errors: kInvalidOption.
Status check_budget(const Configuration& c) {
  if (c.learner.budget > 0 || c.budget_share > 0 || is_full_information(c.learner.algorithm)) return {};
  return failure(
      ErrorCode::kInvalidOption,
      "--budget: is needed: how many attributes of each example to look at, from 2, or all of them "
      "(--budget all)");
}

// Where the input says how many attributes there are, a larger budget looks at all of them, and the log says
// so: what suits most tables is more than a small one has.
void lower_budget(LearnerOptions& options) {
  if (options.budget <= options.dimension) return;
  spdlog::info("--budget {}: the input has {} attribute{}, and all of them are looked at", options.budget,
               options.dimension, options.dimension == 1 ? "" : "s");
  options.budget = options.dimension;
}

// Whether --attribute-grid has a cell for each attribute. Errors: kInvalidOption.
Status check_grid(const Configuration& c) {
  if (!c.grid || c.grid->cells() == c.learner.dimension) return {};
  return failure(ErrorCode::kInvalidOption,
                 "--attribute-grid {}: has {} cells and there are {} attributes; must have one for each",
                 c.grid->text(), c.grid->cells(), c.learner.dimension);
}

// --budget as a part of `dimension` attributes.
void take_share(Configuration& c, std::size_t dimension) {
  if (c.budget_share == 0 || dimension == 0) return;
  const auto part = static_cast<std::size_t>(std::ceil(c.budget_share * static_cast<double>(dimension)));
  c.learner.budget = std::min(std::max<std::size_t>(part, 2), dimension);
}

// Fills in the options that were not given: from the `names` of --attributes, from `state` where there is
// one, or from what the others allow. Errors: kInvalidOption.
Status complete(Configuration& c, FileSystem& files, const std::vector<std::string>& names,
                const State* state) {
  if (c.learner.dimension == 0) c.learner.dimension = names.size();
  if (c.learner.dimension == 0 && state != nullptr) c.learner.dimension = number_of(*state, "dimension");
  if (c.learner.dimension == 0)
    return failure(
        ErrorCode::kInvalidOption,
        "--dimension: is needed, as there is no checkpoint, no --attributes file and no --input to tell it");
  if (c.learner.algorithm == kAutomatic) choose_algorithm(c.learner, state);
  if (!c.algorithm_reason.empty())
    spdlog::info("--algorithm auto: {}, {}", c.learner.algorithm, c.algorithm_reason);
  if (!c.costs_file.empty()) {
    GLIMPSE_TRY_ASSIGN(c.learner.prices, read_prices(c, files, names, state));
  }
  take_share(c, c.learner.dimension);
  const bool has_budget = c.learner.budget_cost || !is_full_information(c.learner.algorithm);
  if (c.learner.budget == 0 && has_budget && state != nullptr) {
    c.learner.budget = number_of(*state, "budget");
  } else if (c.learner.budget == 0 && c.learner.budget_cost) {
    c.learner.budget = most_within_budget(c.learner);
    spdlog::info("--budget: {}, as many attributes as --budget-cost {} can pay for", c.learner.budget,
                 format_money(*c.learner.budget_cost));
  }
  GLIMPSE_TRY(check_budget(c));
  return check_grid(c);
}

Result<SecondMoments> read_moments(const Configuration& c, FileSystem& files) {
  GLIMPSE_TRY_ASSIGN(const auto text, read_text(files, "moments", c.moments_file));
  auto moments = parse_moments(text, c.learner.dimension);
  if (moments) return moments;
  return failure(ErrorCode::kInvalidOption, "--moments {}: {}", c.moments_file, moments.error().message);
}

// The learner of `c`, with the moments of its file. Errors: kInvalidOption.
Result<std::unique_ptr<Learner>> make_learner_of(const Configuration& c, FileSystem& files,
                                                 const State* state) {
  if (c.moments_file.empty() && state != nullptr && wants_moments(c.learner.algorithm)) {  // it has them
    SecondMoments known(c.learner.dimension);
    GLIMPSE_TRY(known.restore(*state));
    return make_learner(c.learner, &known);
  }
  if (c.moments_file.empty()) return make_learner(c.learner);
  GLIMPSE_TRY_ASSIGN(const auto moments, read_moments(c, files));
  return make_learner(c.learner, &moments);
}

// The names of --attributes; none where it is not given. Errors: kInvalidOption.
Result<std::vector<std::string>> read_names(const Configuration& c, FileSystem& files) {
  if (c.attributes_file.empty()) return std::vector<std::string>();
  GLIMPSE_TRY_ASSIGN(const auto text, read_text(files, "attributes", c.attributes_file));
  std::vector<std::string> names = lines_of(text);
  if (names.size() == 1 && names.front().find(',') != std::string::npos)
    return failure(ErrorCode::kInvalidOption,
                   "--attributes {}: has one line, {}: a name has a line of its own", c.attributes_file,
                   in_quotes(names.front()));
  return names;
}

// Logs which attributes are never bought.
void warn_of_dear_attributes(const LearnerOptions& options, const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 5;
  const std::vector<Attribute> dear = beyond_budget(options);
  if (dear.empty()) return;
  std::string list;
  for (std::size_t k = 0; k < std::min(dear.size(), kMostNamed); ++k)
    list += fmt::format("{}{}", k > 0 ? ", " : "",
                        dear[k] < names.size() ? names[dear[k]] : fmt::format("{}", dear[k]));
  spdlog::warn("{} attributes are never bought, as they cost more than {}--budget-cost {}: {}{}", dear.size(),
               keeps_pairs(options.algorithm) ? "" : "half of ", format_money(*options.budget_cost), list,
               dear.size() > kMostNamed ? ", ..." : "");
}

using Inputs = InputSources;

FormatOptions format_options_of(const Configuration& c) {
  FormatOptions options;
  options.dimension = c.learner.dimension;
  options.table = c.table;
  options.absent = c.absent;
  return options;
}

// What the sample of `input` shows; nothing: it has no record. Waits for it; it is read all the same.
Result<std::optional<FirstRecords>> read_sample(const Configuration& c, InputSource& input,
                                                const std::optional<TableForm>& known = std::nullopt) {
  if (c.decided) return records_of_form(*c.decided, c.table);
  std::optional<FirstRecords> first;
  FormatOptions options = format_options_of(c);
  if (known) options.form = std::make_shared<const TableForm>(*known);
  const SampleLimits limits = input.is_regular() ? c.sample : limits_of_messages(c);
  const auto read = input.is_regular() ? read_first_records : read_first_messages;
  GLIMPSE_TRY(input.look_ahead(
      limits.bytes + c.max_line_bytes, [&](std::string_view bytes, bool is_whole) -> Result<bool> {
        GLIMPSE_TRY_ASSIGN(first, read(bytes, is_whole, c.format, options, limits, c.categories, nullptr));
        return first.has_value();
      }));
  return first;
}

void log_remarks(const std::string& name, const FirstRecords& first) {
  constexpr std::size_t kMostTold = 20;
  for (std::size_t i = 0; i < std::min(first.remarks.size(), kMostTold); ++i)
    spdlog::warn("{}: {}", name, first.remarks[i]);
  if (first.remarks.size() > kMostTold)
    spdlog::warn("{}: {} columns more are to be looked at: --dry-run describes all", name,
                 first.remarks.size() - kMostTold);
}

void log_first(const std::string& name, std::string_view compression, const FirstRecords& first) {
  spdlog::info("{}: {}{}{}", name, compression, compression.empty() ? "" : ", ", first.describe());
  log_remarks(name, first);
}

// What the sample of the first input that has any record shows: how many attributes there are, and their
// names. Nothing: no input has any record. Errors: kInvalidOption for records that do not tell, kSystem. The
// log says what was understood.
Result<std::optional<FirstRecords>> ask_inputs(const Configuration& c, Inputs& inputs) {
  std::optional<FirstRecords> first;
  if (c.decided) {
    GLIMPSE_TRY_ASSIGN(first, records_of_form(*c.decided, c.table));
    log_first("--schema " + c.schema_file, {}, *first);
    return first;
  }
  inputs.sampled.resize(inputs.files.size());
  for (std::size_t i = 0; i < inputs.files.size(); ++i) {
    InputSource& input = *inputs.files[i];
    auto read = read_sample(c, input);
    if (!read)
      return failure(read.error().code == ErrorCode::kSystem ? ErrorCode::kSystem : ErrorCode::kInvalidOption,
                     "{}: {}", input.name(), read.error().message);
    first = std::move(*read);
    if (!first) continue;
    log_first(input.name(), input.compression(), *first);
    inputs.sampled[i] = first->record_form();
    return first;
  }
  for (const auto& topic : inputs.topics) {
    const SampleLimits limits = limits_of_messages(c);
    const Status status = look_at(*topic, limits.bytes + c.max_line_bytes,
                                  [&](std::string_view lines, bool is_end) -> Result<bool> {
                                    GLIMPSE_TRY_ASSIGN(first, read_messages(c, lines, is_end));
                                    return first.has_value();
                                  });
    if (!status) return failure(ErrorCode::kInvalidOption, "{}: {}", name_of(*topic), status.error().message);
    log_first(name_of(*topic), {}, *first);
    inputs.of_topics = first->record_form();
    inputs.of_topics->header = HeaderChoice::kAuto;  // of each partition on its own
    return first;
  }
  return first;
}

// What of the sample holds where attributes are known already; nothing: it is no table of these.
std::optional<FirstRecords> of_known(const Configuration& c, FirstRecords first,
                                     const std::vector<std::string>& names) {
  const std::size_t dimension = std::max(c.learner.dimension, names.size());
  AttributeNames known(dimension);
  const bool is_named = !names.empty() && !first.names.empty();
  if (!known.fix(names) || (!is_named && first.dimension != dimension)) return std::nullopt;
  for (auto* const kinds : {&first.categories, &first.numbers}) {
    if (!is_named) continue;
    std::vector<Attribute> mapped;
    for (const Attribute attribute : *kinds)
      if (const auto found = known.find(first.names[attribute])) mapped.push_back(*found);
    *kinds = std::move(mapped);
  }
  return first;
}

// What `first` shows, if anything, is declared beside `words`.
Status declare(KnownWords words, const FirstRecords* first, StreamProcessor& processor) {
  if (first != nullptr) {
    words.attributes = first->categories;
    words.numbers = first->numbers;
    words.has_label_words = first->has_label_words;
    words.has_label_numbers = first->has_label_numbers;
    for (const Attribute attribute : first->odd) processor.note_odd_told(attribute);
  }
  GLIMPSE_TRY(declare_words(words, processor.names()));
  processor.words().note_declared(processor.names(), processor.learner());
  return {};
}

// The same where attributes are known already: what of the sample holds for them. What is no table of these,
// or cannot be read, is told when it is read. Pipes are not waited for. Objects give `names` where there are
// none.
std::optional<FirstRecords> ask_known_inputs(const Configuration& c, Inputs& inputs,
                                             std::vector<std::string>& names) {
  if (c.decided) return of_known(c, *records_of_form(*c.decided, c.table), names);
  inputs.sampled.resize(inputs.files.size());
  for (std::size_t i = 0; i < inputs.files.size(); ++i) {
    InputSource& input = *inputs.files[i];
    if (!input.is_regular()) continue;  // it may be long until a pipe has its records
    auto first = read_sample(c, input);
    if (!first || !*first) continue;
    inputs.sampled[i] = (*first)->record_form();
    auto holds = of_known(c, std::move(**first), names);
    if (holds && (holds->format == Format::kCsv || holds->format == Format::kNdjson))
      log_first(input.name(), input.compression(), *holds);
    if (holds && holds->format == Format::kNdjson && names.empty()) names = holds->names;
    return holds;
  }
  if (c.format == Format::kAuto || c.format == Format::kCsv || c.format == Format::kNdjson)
    for (const auto& topic : inputs.topics)
      spdlog::info(
          "{}: no sample decides how it is read, as its attributes are known: the first value of each column "
          "does; --schema FILE decides for all",
          name_of(*topic));
  return std::nullopt;
}

// All names where the header of the first table has some beside those of `state` (names_with_new()); else
// none. With doors open a pipe is not waited for. What is no table, or cannot be read, is told when it is
// read.
std::vector<std::string> names_of_headers(const Configuration& c, const Inputs& inputs, const State& state) {
  const bool has_doors = !c.listen.empty() || !c.http.empty();
  for (const auto& each : inputs.files) {
    std::unique_ptr<InputSource> apart;  // of what is read on from its middle
    if (each->is_regular())
      if (auto opened = InputSource::open(each->is_standard() ? "/dev/stdin" : each->name()); opened)
        apart = std::move(*opened);
    if (each->is_regular() ? apart == nullptr : has_doors) continue;
    InputSource* const input = apart ? apart.get() : each.get();
    const auto first = read_sample(c, *input);
    if (first && *first && !(*first)->names.empty()) return names_with_new(state, (*first)->names);
  }
  return {};
}

// Whether the texts of a state are those of a learner that could have made its arrays.
Status check_texts(const State& state) {
  if (const auto text = state.get_text("learner.options"); !text) return text.error();
  const std::string_view algorithm = option_of(state, "algorithm");
  if (algorithm.empty() || !is_algorithm(algorithm))
    return failure(ErrorCode::kCorrupt, "learner.options names the algorithm {}, which there is not",
                   in_quotes(algorithm));
  std::size_t bytes = 0;
  for (const Tensor& tensor : state.tensors()) bytes += tensor.bytes.size();
  const std::size_t dimension = number_of(state, "dimension");
  if (dimension == 0 || dimension > bytes)
    return failure(ErrorCode::kCorrupt, "learner.options has dimension {}, with {} bytes of arrays",
                   in_quotes(option_of(state, "dimension")), bytes);
  return {};
}

// A start that gives none of the options that a checkpoint is made with goes on with those of its learner, as
// glimpsectl --model does, which knows none. The log has those that are not as by default. Errors: kCorrupt.
Status take_options(LearnerOptions& options, const Configuration& c, const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto text, state.get_text("learner.options"));
  LearnerOptions taken = options;
  LearnerOptions usual = options;
  std::string list;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::string_view name = line.substr(0, line.find('='));
    const std::string value(line.substr(std::min(line.size(), name.size() + 1)));
    if (c.given.contains(name)) return {};
    if (name == "budget-cost")
      return failure(ErrorCode::kMismatch,
                     "the checkpoint's plans go by prices, which it does not hold: give --costs FILE and "
                     "--budget-cost MONEY, as glimpsectl serve passes them behind --");
    // complete() fills in these; what is open is so by default.
    constexpr std::string_view kOthers[] = {"algorithm", "dimension", "budget"};
    const bool is_other = std::ranges::count(kOthers, name) > 0;
    const OptionRow* const row = find_row(learner_option_table(), name);
    if (row == nullptr || value == "none" || value == "unknown") continue;
    if (is_other || ('\n' + describe(usual)).find(fmt::format("\n{}\n", line)) == std::string::npos)
      list.append(" --").append(line);
    if (!row->read(is_other ? usual : taken, value) && !is_other)
      return failure(ErrorCode::kCorrupt, "learner.options has {}, which is no {}", in_quotes(line), name);
  }
  spdlog::info("the learner's options are as the checkpoint says:{}", list);
  options = std::move(taken);
  return {};
}

// The lock on the state directory, and what to do before each checkpoint so that it stays this one's.
Result<std::function<Status()>> claim_directory(FileSystem& files, const std::string& folder) {
  if (const Status status = files.create_directories(folder); !status)
    return failure(ErrorCode::kSystem, "--state-directory {}: {}", folder, status.error().message);
  auto taken = FileLock::take(folder + "/lock");
  auto whole = FileLock::take_folder(folder);
  if (taken && !whole) taken = whole.error();
  if (!taken)
    return failure(taken.error().code, "--state-directory {}: {}{}", folder, taken.error().message,
                   taken.error().code == ErrorCode::kUnavailable
                       ? ": another glimpsed runs on it; end that one, or give this one a folder of its own"
                       : "");
  return [&files, folder, lock = std::make_shared<FileLock>(std::move(*taken)),
          whole = std::make_shared<FileLock>(std::move(*whole))]() -> Status {
    if (lock->is_current()) return {};
    Status status = files.create_directories(folder);
    if (status) status = lock->renew();
    if (status && !whole->is_current()) {  // another folder is there now
      auto taken_again = FileLock::take_folder(folder);
      status = taken_again ? Status() : Status(taken_again.error());
      if (status) *whole = std::move(*taken_again);
    }
    if (status) {
      spdlog::warn("--state-directory {}: was removed or replaced, and is locked again", folder);
      return {};
    }
    return failure(status.error().code, "--state-directory {}: was removed or replaced: {}{}", folder,
                   status.error().message,
                   status.error().code == ErrorCode::kUnavailable
                       ? ": another glimpsed runs on it now; nothing is written there"
                       : "");
  };
}

// What the command line says wins over the checkpoint.
void set_freeze(StreamProcessor& processor, Learning learn) {
  Freeze& freeze = processor.freeze();
  if (learn == Learning::kOn && freeze.is_frozen())
    spdlog::info("--learn on: the checkpoint was made while the model was frozen; it learns again");
  if (learn != Learning::kAuto) freeze.set_frozen(learn == Learning::kOff);
  if (freeze.is_frozen())
    spdlog::warn(
        "frozen at example {}: labelled examples are evaluated and counted, and nothing is learned ({})",
        processor.learner().counts().examples,
        learn == Learning::kOff ? "--learn off" : "as the checkpoint says; --learn on ends it");
}

void set_options(StreamProcessor& processor, const Configuration& c) {
  processor.set_clip(c.clip);
  processor.set_predict_as(c.predict_as);
  processor.hold_out().set_share(c.hold_out);
  if (c.learn == Learning::kTest) processor.keep_held_out();
  processor.set_recent(c.recent);
  processor.history().set_most(c.history);
  processor.set_schema(schema_of(c));
  processor.set_most_waiting(c.max_unfinished_bytes);
  processor.sources().set_limit(c.max_sources);
  processor.sources().set_opening_limit(c.max_opening_bytes);
  // Names of plans alone come from it: nothing that is learned.
  processor.set_buying(c.max_plans, std::random_device()() & 0xffffff, c.spending);
}

// Of several labels none holds words.
Status check_labels(const Configuration& c, const FirstRecords* first) {
  if (c.learner.labels.size() < 2) return {};
  const std::string text = label_line(c.learner.labels);
  if (c.classes.are_wanted())
    return invalid_option("label", text, "classes (--task classes, --classes) are of one label");
  if (first != nullptr && first->has_label_words)
    return invalid_option(
        "label", text,
        fmt::format("{} holds words, and of several labels none may: classes are of one label",
                    first->label_name));
  return {};
}

// Columns of --categories, where the first records or the options tell what the columns are.
Status name_categories(Configuration& c, const FirstRecords* first, const std::vector<std::string>& names) {
  AttributeNames known(std::max(c.learner.dimension, names.size()));
  GLIMPSE_TRY(known.fix(names));
  auto layout = first != nullptr ? first->layout : TableLayout();
  if (first == nullptr && names.empty())
    if (auto plain = TableLayout::without_header(c.table, c.learner.dimension); plain)
      layout = std::move(*plain);
  const bool is_table = first != nullptr ? layout.width() > 0 : c.format == Format::kCsv;
  return name_category_columns(c.categories, layout, is_table, known);
}

// FILE of --schema, which is not there: what the checkpoint has of a table, or what a sample shows of one.
Status decide(Configuration& c, FileSystem& files, Inputs& inputs, const State* state) {
  TableSchema schema = schema_of(c);
  bool is_known = false;
  if (state != nullptr) {
    GLIMPSE_TRY_ASSIGN(auto restored, TableSchema::restore(*state));
    is_known = restored.has_value();
    if (restored) schema = std::move(*restored);
  }
  if (!is_known) {
    GLIMPSE_TRY_ASSIGN(const auto first, ask_inputs(c, inputs));
    if (first) schema.form = first->decided_form();
    inputs.sampled.clear();  // all are read as the file says
    inputs.of_topics.reset();
  }
  if (is_of_table(schema.form)) return write_schema_file(c, files, schema);
  return failure(
      ErrorCode::kInvalidOption,
      "--schema {}: there is no such file, and no table to decide by{}: glimpsed --dry-run --schema {} "
      "--input SAMPLE writes it from a table",
      c.schema_file, is_known ? " in the checkpoint" : "", shell_word(c.schema_file));
}

// The processor for `c`, whose options that were not given are filled in; as `state` left it, where there is
// one. Errors: kInvalidOption and others of the options; those of StreamProcessor::restore().
Result<std::unique_ptr<StreamProcessor>> build(Configuration& c, FileSystem& files, Inputs& inputs,
                                               const State* state) {
  bool changes_table = false;
  if (!c.schema_file.empty() && !c.decided) GLIMPSE_TRY(decide(c, files, inputs, state));
  if (state != nullptr) {
    if (const Status status = check_texts(*state); !status) return status.error();
    GLIMPSE_TRY(take_options(c.learner, c, *state));
    GLIMPSE_TRY_ASSIGN(changes_table, take_schema(c, *state));
  }
  GLIMPSE_TRY_ASSIGN(std::vector<std::string> names, read_names(c, files));
  if (const std::size_t before = state != nullptr ? number_of(*state, "dimension") : 0;
      !names.empty() && names.size() < before)
    return failure(
        ErrorCode::kInvalidOption,
        "--attributes {}: has {} names, and the checkpoint's model has {} attributes, of which none can "
        "go: give the file that names them all{}",
        c.attributes_file, names.size(), before,
        keeps_pairs(option_of(*state, "algorithm")) ? ", with new ones behind them" : "");
  if (state == nullptr && !c.learner.budget_cost)  // before anything is waited for
    if (const Status status = check_budget(c); !status) return status.error();
  std::optional<FirstRecords> first;
  if (state == nullptr && c.learner.dimension == 0 && names.empty()) {
    GLIMPSE_TRY_ASSIGN(first, ask_inputs(c, inputs));
    if (first) {
      c.learner.dimension = first->dimension;
      names = first->names;
      lower_budget(c.learner);
    } else if (!inputs.missing.empty()) {
      return inputs.missing.front().second;
    } else if (!inputs.files.empty()) {
      return failure(ErrorCode::kInvalidInput,
                     "nothing was learned: the input has no record, and nothing else tells how many "
                     "attributes there are "
                     "(--dimension D)");
    }
  } else if (state == nullptr)
    first = ask_known_inputs(c, inputs, names);
  if (state == nullptr) GLIMPSE_TRY(name_categories(c, first ? &*first : nullptr, names));
  std::optional<State> grown;
  if (state != nullptr) {
    if (names.empty() && c.learner.dimension == 0) names = names_of_headers(c, inputs, *state);
    const std::size_t given = c.learner.dimension > 0 ? c.learner.dimension : names.size();
    take_share(c, given > 0 ? given : number_of(*state, "dimension"));
    GLIMPSE_TRY_ASSIGN(grown, grow(*state, c.learner, names));
    if (grown) state = &*grown;
  }
  if (const Status status = complete(c, files, names, state); !status) return status.error();
  GLIMPSE_TRY_ASSIGN(auto learner, make_learner_of(c, files, state));
  warn_of_dear_attributes(c.learner, names);
  if (const auto lacks = lacks_of_theory(c.learner); !lacks.empty())
    spdlog::warn("--step theory: the papers' guarantee does not hold without {}", fmt::join(lacks, "; "));

  auto processor = std::make_unique<StreamProcessor>(std::move(learner), AttributeNames(c.learner.dimension),
                                                     c.learner.seed);
  set_options(*processor, c);
  if (const Status status = processor->set_classes(c.classes); !status) return status.error();
  if (state != nullptr) {
    if (const Status status = processor->restore(*state); !status)
      return failure(
          status.error().code, "{}{}", status.error().message,
          status.error().code == ErrorCode::kMismatch ? " (--restore never starts from nothing)" : "");
    if (changes_table) processor->known_table() = TableLayout();
    // Nothing was decided as long as nothing was learned.
    if (processor->learner().counts().examples == 0) first = ask_known_inputs(c, inputs, names);
  }
  if (!names.empty()) {
    if (const Status status = processor->names().fix(names); !status)
      return failure(ErrorCode::kInvalidOption, "--attributes {}: {}", c.attributes_file,
                     status.error().message);
  }
  const FirstRecords* const shown = first ? &*first : nullptr;
  if (const Status status = check_labels(c, shown); !status) return status.error();
  const KnownWords told{.limit = c.max_categories, .named = c.categories, .classes = &c.classes};
  if (const Status status = declare(told, shown, *processor); !status) return status.error();
  return processor;
}

Status restore_file(Configuration& c, FileSystem& files, Prepared& prepared) {
  // A named file may lie anywhere; the store's folder does not matter for it.
  CheckpointStore anywhere(files, ".", 1);
  anywhere.set_most_bytes(most_restored_bytes());
  const auto state = anywhere.load(c.restore);
  if (!state) return failure(state.error().code, "--restore {}: {}", c.restore, state.error().message);
  auto built = build(c, files, prepared.inputs, &*state);
  if (!built && built.error().code == ErrorCode::kInvalidOption) return built.error();
  if (!built) return failure(built.error().code, "--restore {}: {}", c.restore, built.error().message);
  prepared.processor = std::move(*built);
  prepared.restored = c.restore;
  return {};
}

Status restore_newest(Configuration& c, FileSystem& files, Prepared& prepared) {
  std::optional<Error> of_options;  // not of the file
  const auto trial = [&](const State& state) -> Status {
    Configuration filled = c;
    auto built = build(filled, files, prepared.inputs, &state);
    if (!built && built.error().code == ErrorCode::kInvalidOption) of_options = built.error();
    if (!built) return built.error();
    c = std::move(filled);
    prepared.processor = std::move(*built);
    return {};
  };
  const auto restored = prepared.store->restore_newest(trial);
  if (!restored && of_options) return *of_options;
  if (!restored)
    return failure(restored.error().code, "--state-directory {}: {}", c.state_directory,
                   restored.error().message);
  for (const std::string& bad : restored->set_aside)
    spdlog::error("an older checkpoint is used, as a newer one is damaged and was set aside: {}", bad);
  for (const std::string& bad : restored->not_restored)
    spdlog::error(
        "an older checkpoint is used, as glimpsed cannot go on from a newer one, which was set aside: {}",
        bad);
  for (const std::string& warning : restored->warnings) spdlog::warn("{}: {}", c.state_directory, warning);
  prepared.restored = restored->name;
  return {};
}

Status check_secrets(const Configuration& c) {
  if (!c.token_file.empty()) GLIMPSE_TRY(Tokens::read(c.token_file));
  if (c.tls_certificate.empty()) return {};
  boost::asio::io_context io;
  const auto tls = TlsKeeper::open(io, c.tls_certificate, c.tls_key, c.http_timeout);
  return tls ? Status() : Status(tls.error());
}

Status check_doors(const Configuration& c) {
  for (const Address& address : c.listen)
    GLIMPSE_TRY(check_address("listen", address, c.allow_remote, c.socket_group));
  for (const Address& address : c.http)
    GLIMPSE_TRY(check_address("http", address, c.allow_remote, c.socket_group));
  return {};
}

// The nearest folder above that is there must take new ones.
Status check_state_directory(const Configuration& c) {
  if (c.state_directory.empty()) return {};
  std::string path = c.state_directory;
  struct stat status{};
  while (::stat(path.c_str(), &status) != 0 && path != "/" && path != ".") {
    const std::size_t slash = path.rfind('/');
    path = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  }
  if (!S_ISDIR(status.st_mode))
    return invalid_option("state-directory", c.state_directory, path + " is no directory");
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    return invalid_option("state-directory", c.state_directory, path + ": " + std::strerror(errno));
  return {};
}

}  // namespace

SampleLimits limits_of_messages(const Configuration& c) {
  constexpr std::size_t kRecords = 100;
  const bool is_given = c.given.contains("sample-records");
  return {c.sample.bytes, is_given ? c.sample.records : kRecords, c.replies == Replies::kAll};
}

Result<std::unique_ptr<StreamProcessor>> rebuild(const Configuration& c, FileSystem& files,
                                                 const State& state) {
  if (const Status status = check_texts(state); !status) return status.error();
  GLIMPSE_TRY_ASSIGN(const auto grown, grow(state, c.learner, {}, true));
  GLIMPSE_TRY_ASSIGN(auto learner, make_learner_of(c, files, grown ? &*grown : &state));
  auto processor = std::make_unique<StreamProcessor>(std::move(learner), AttributeNames(c.learner.dimension),
                                                     c.learner.seed);
  set_options(*processor, c);
  if (const Status status = processor->restore(grown ? *grown : state); !status) return status.error();
  return processor;
}

std::optional<RecordForm> sample_form(const Configuration& c, InputSource& input,
                                      const std::optional<TableForm>& known) {
  const auto first = read_sample(c, input, known);
  if (first && *first) log_remarks(input.name(), **first);
  return first && *first ? std::optional((*first)->record_form()) : std::nullopt;
}

Result<std::optional<FirstRecords>> read_messages(const Configuration& c, std::string_view lines,
                                                  bool is_whole) {
  return read_first_messages(lines, is_whole, c.format, format_options_of(c), limits_of_messages(c),
                             c.categories);
}

Result<std::optional<FirstRecords>> read_sample_of(const Configuration& c, Format format,
                                                   std::string_view records, const SampleLimits& limits) {
  return read_first_records(records, true, format, format_options_of(c), limits, c.categories);
}

Status take_first(const Configuration& c, const std::string& name, FirstRecords first,
                  StreamProcessor& processor) {
  const AttributeNames& known = processor.names();
  std::vector<std::string> names;
  if (known.are_complete())
    for (std::size_t i = 0; i < known.dimension(); ++i)
      names.emplace_back(known.name(static_cast<Attribute>(i)));
  const auto holds = of_known(c, std::move(first), names);
  if (!holds) return {};
  GLIMPSE_TRY(check_labels(c, &*holds));
  if (holds->format == Format::kCsv || !holds->remarks.empty()) log_first(name, {}, *holds);
  if (holds->format == Format::kNdjson && known.empty()) GLIMPSE_TRY(processor.names().fix(holds->names));
  return declare({.limit = c.max_categories}, &*holds, processor);
}

Result<std::unique_ptr<StreamProcessor>> begin_from_nothing(Configuration c, FileSystem& files) {
  InputSources none;
  return build(c, files, none, nullptr);
}

std::uint64_t most_restored_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long size = ::sysconf(_SC_PAGE_SIZE);
  return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size)
                               : ~std::uint64_t{0};
}

void add_standard_input(Configuration& c) {
  struct stat status{};
  if (::fstat(STDIN_FILENO, &status) < 0) return;
  if (!c.inputs.empty()) {
    const bool is_read = std::find(c.inputs.begin(), c.inputs.end(), "-") != c.inputs.end();
    if (!is_read && S_ISFIFO(status.st_mode))
      spdlog::info("standard input is a pipe, and is not read beside --input: --input - reads it");
    return;
  }
  c.reads_standard_input = S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode);
  if (c.reads_standard_input)
    spdlog::info("standard input is a {}, and is read beside --listen and --http",
                 S_ISFIFO(status.st_mode) ? "pipe" : "file");
  if (S_ISSOCK(status.st_mode))
    spdlog::info("standard input is a socket, and is not read: --input - reads it");
}

Status check_files(const Configuration& c, FileSystem& files) {
  GLIMPSE_TRY(check_secrets(c));
  GLIMPSE_TRY(check_doors(c));
  GLIMPSE_TRY(check_state_directory(c));
  GLIMPSE_TRY_ASSIGN(const auto fixed, read_names(c, files));
  Configuration known = c;
  if (known.learner.dimension == 0) known.learner.dimension = fixed.size();
  AttributeNames names(known.learner.dimension);
  if (!fixed.empty())
    if (const Status status = names.fix(fixed); !status)
      return invalid_option("attributes", c.attributes_file, status.error().message);
  if (!c.costs_file.empty()) GLIMPSE_TRY(read_text(files, "costs", c.costs_file));
  if (!c.costs_file.empty() && !fixed.empty())  // else the checkpoint may have the names
    GLIMPSE_TRY(read_prices(known, files, fixed, nullptr));
  if (!c.moments_file.empty() && known.learner.dimension == 0)
    GLIMPSE_TRY(read_text(files, "moments", c.moments_file));
  if (!c.moments_file.empty() && known.learner.dimension > 0) GLIMPSE_TRY(read_moments(known, files));
  return {};
}

Status check_learner(Configuration c, FileSystem& files) {
  if (c.restore != "auto" && c.restore != "never") {
    const auto state = files.read(c.restore);
    return state ? Status()
                 : failure(state.error().code, "--restore {}: {}", c.restore, state.error().message);
  }
  const auto kept = files.list(c.state_directory);
  const bool is_told = kept && c.restore == "auto" &&
                       std::any_of(kept->begin(), kept->end(),
                                   [](const std::string& name) { return name.starts_with("checkpoint-"); });
  const bool reads = !c.inputs.empty() || (c.listen.empty() && c.http.empty());
  if (is_told || (reads && c.learner.dimension == 0 && c.attributes_file.empty())) return {};
  if (reads && !c.decided) c.schema_file.clear();  // an input decides
  InputSources none;
  const auto built = build(c, files, none, nullptr);
  return built ? Status() : Status(built.error());
}

Result<Prepared> prepare(Configuration& c, FileSystem& files) {
  Prepared prepared;
  prepared.files = &files;
  const bool is_fleet = !c.fleet.group.empty();
  std::vector<std::string> paths;
  if (!is_fleet) paths = c.inputs;  // else each partition has a learner of its own
  if (c.reads_standard_input) paths.emplace_back("-");
  GLIMPSE_TRY_ASSIGN(auto topics, open_topics(c));
  if (!is_fleet) prepared.inputs.topics = std::move(topics);
  for (const std::string& path : paths) {
    if (is_topic(path)) continue;
    auto input = InputSource::open(path);
    if (!input && !c.serve) return input.error();
    for (const auto& other : prepared.inputs.files)
      if (input && other->is_same_as(**input))
        return failure(ErrorCode::kInvalidOption, "--input {}: is the same file as --input {}", path,
                       other->name());
    if (input)
      prepared.inputs.files.push_back(std::move(*input));
    else
      prepared.inputs.missing.emplace_back(path, input.error());
  }
  if (!c.state_directory.empty()) {
    GLIMPSE_TRY_ASSIGN(prepared.claim, claim_directory(files, c.state_directory));
    prepared.store = std::make_unique<CheckpointStore>(files, c.state_directory, c.checkpoint_keep);
    prepared.store->set_most_bytes(most_restored_bytes());
  }
  Status status;
  if (c.restore != "auto" && c.restore != "never")
    status = restore_file(c, files, prepared);
  else if (c.restore == "auto" && prepared.store)
    status = restore_newest(c, files, prepared);
  if (!status) return status.error();
  if (prepared.processor) {
    spdlog::info("restored {}: {} examples", prepared.restored,
                 prepared.processor->learner().counts().examples);
    set_freeze(*prepared.processor, c.learn);
  } else if (c.learn == Learning::kOff) {
    return failure(
        ErrorCode::kInvalidOption,
        "--learn off: there is no checkpoint in --state-directory {} whose model could answer: learn "
        "first, or name one with --restore PATH",
        c.state_directory);
  } else {
    GLIMPSE_TRY_ASSIGN(prepared.processor, build(c, files, prepared.inputs, nullptr));
    if (is_fleet) prepared.processor->freeze().set_frozen(true);  // it answers with what partitions learn
  }
  // Partitions of a fleet are known by their topic. Nothing that is learned depends on it.
  if (!is_fleet && !c.state_directory.empty()) {
    std::random_device random;
    prepared.processor->name_learner(std::uint64_t{random()} << 32 | random());
  }
  prepared.rebuild = [&files](const Configuration& running, const State& state) {
    return rebuild(running, files, state);
  };
  prepared.check = [dimension = c.learner.dimension](const State& state) {
    return StreamProcessor::check(state, dimension);
  };
  return prepared;
}

}  // namespace glimpse
