#include "daemon/statistics/history.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "learn/core/state_check.h"

namespace glimpse {

namespace {

constexpr std::size_t kKinds = static_cast<std::size_t>(HistoryEvent::Kind::kCount_);
constexpr std::size_t kEventNumbers = 4;
constexpr std::uint64_t kStepsADoubling = 8;
constexpr std::uint64_t kFirstLabelColumns = 9;  // of kLabelColumns, that the first builds had
constexpr std::size_t kShare = 4;  // a quarter: of the newest that stay as they came, and of events

double examples_of(const HistorySample& sample) { return sample[HistoryColumn::kExamples]; }

bool is_count(double value) {
  return value >= 0 && value <= static_cast<double>(kMostExamples) && value == std::floor(value);
}

std::string column_names() {
  std::string names;
  for (const std::string_view name : kHistoryColumns) {
    if (!names.empty()) names += ',';
    names += name;
  }
  return names;
}

// For each name in the text, which column it is here.
std::vector<std::optional<HistoryColumn>> columns_of(std::string_view names) {
  std::vector<std::optional<HistoryColumn>> columns;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    const auto found = std::ranges::find(kHistoryColumns, names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
    columns.emplace_back();
    if (found != kHistoryColumns.end())
      columns.back() = static_cast<HistoryColumn>(found - kHistoryColumns.begin());
  }
  return columns;
}

}  // namespace

HistorySample::HistorySample() { values_.fill(std::nan("")); }

double HistorySample::of_label(HistoryColumn column, std::size_t label) const {
  const auto* const place = std::ranges::find(kLabelColumns, column);
  if (label == 0 || place == kLabelColumns.end()) return (*this)[column];
  const std::size_t k =
      (label - 1) * kLabelColumns.size() + static_cast<std::size_t>(place - kLabelColumns.begin());
  return k < further.size() ? further[k] : std::nan("");
}

const char* name_of(HistoryEvent::Kind kind) {
  switch (kind) {
    case HistoryEvent::Kind::kPhase:
      return "phase";
    case HistoryEvent::Kind::kDrift:
      return "drift";
    case HistoryEvent::Kind::kRestart:
      return "restart";
    case HistoryEvent::Kind::kFreeze:
      return "freeze";
    case HistoryEvent::Kind::kUnfreeze:
      return "unfreeze";
    case HistoryEvent::Kind::kPromotion:
      return "promotion";
    case HistoryEvent::Kind::kCheckpointFailed:
      return "checkpoint_failed";
    case HistoryEvent::Kind::kWithheld:
      return "model_withheld";
    case HistoryEvent::Kind::kServedAgain:
    case HistoryEvent::Kind::kCount_:
      break;
  }
  return "model_served_again";
}

bool has_value(HistoryEvent::Kind kind) {
  return kind == HistoryEvent::Kind::kPhase || kind == HistoryEvent::Kind::kDrift ||
         kind == HistoryEvent::Kind::kPromotion || kind == HistoryEvent::Kind::kCheckpointFailed;
}

void History::set_most(std::size_t most) {
  most_ = most;
  told_.reset();
  if (most_ == 0) kept_ = HistoryCopy();
  while (kept_.samples.size() > 2 * most_) halve();
  while (kept_.samples.size() > most_) thin();
  const std::size_t events = kept_.events.size();
  const std::size_t beyond = events - std::min(events, most_ / kShare);
  kept_.events.erase(kept_.events.begin(), kept_.events.begin() + static_cast<std::ptrdiff_t>(beyond));
}

void History::add(const HistorySample& sample) {
  if (!is_kept()) return;
  told_.reset();
  kept_.samples.push_back(sample);
  if (kept_.samples.size() > most_) thin();
}

// The first and the newest sample stay.
void History::thin() {
  std::vector<HistorySample>& samples = kept_.samples;
  const std::size_t end = samples.size() - 1 - std::min(most_ / kShare, samples.size() - 1);
  std::size_t least = 1;
  double ratio = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < end; ++i) {
    const double neighbours = examples_of(samples[i + 1]) / examples_of(samples[i - 1]);
    if (!(neighbours < ratio)) continue;
    ratio = neighbours;
    least = i;
  }
  samples.erase(samples.begin() + static_cast<std::ptrdiff_t>(least));
}

// Where most of them are to go; each second one, for an option that is much smaller now.
void History::halve() {
  std::vector<HistorySample>& samples = kept_.samples;
  std::size_t to = 1;
  for (std::size_t from = 2; from < samples.size(); ++from)
    if (from % 2 == 0 || from + 1 == samples.size()) samples[to++] = samples[from];
  samples.resize(to);
}

void History::add(const HistoryEvent& event) {
  if (!is_kept()) return;
  told_.reset();
  std::vector<HistoryEvent>& events = kept_.events;
  events.push_back(event);
  if (events.size() <= most_ / kShare) return;
  std::array<std::size_t, kKinds> counts{};
  for (const HistoryEvent& e : events) ++counts[static_cast<std::size_t>(e.kind)];
  const auto most = static_cast<HistoryEvent::Kind>(std::ranges::max_element(counts) - counts.begin());
  events.erase(std::ranges::find(events, most, &HistoryEvent::kind));
}

void History::cut(std::uint64_t examples) {
  told_.reset();
  const auto end = static_cast<double>(examples);
  std::erase_if(kept_.samples, [&](const HistorySample& sample) { return examples_of(sample) > end; });
  std::erase_if(kept_.events, [&](const HistoryEvent& event) { return event.examples > end; });
}

std::uint64_t History::examples() const {
  return kept_.samples.empty() ? 0 : static_cast<std::uint64_t>(examples_of(kept_.samples.back()));
}

std::uint64_t History::next_count(std::uint64_t examples) {
  const std::uint64_t step = std::max<std::uint64_t>(1, std::bit_floor(examples) / kStepsADoubling);
  return (examples / step + 1) * step;
}

std::shared_ptr<const HistoryCopy> History::copy() const {
  if (!told_) told_ = std::make_shared<const HistoryCopy>(kept_);
  return told_;
}

void History::save(State& state) const {
  state.put_text("history.columns", column_names());
  auto numbers = state.put<double>("history.samples", kept_.samples.size() * kHistoryColumnCount);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = kept_.samples[i / kHistoryColumnCount][static_cast<HistoryColumn>(i % kHistoryColumnCount)];
  std::size_t width = 0;
  for (const HistorySample& sample : kept_.samples) width = std::max(width, sample.further.size());
  if (width > 0) {
    state.put_number("history.label_columns", std::uint64_t{kLabelColumns.size()});
    auto further = state.put<double>("history.labels", kept_.samples.size() * width);
    std::ranges::fill(further, std::nan(""));
    for (std::size_t i = 0; i < kept_.samples.size(); ++i)
      std::ranges::copy(kept_.samples[i].further, further.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  auto events = state.put<double>("history.events", kept_.events.size() * kEventNumbers);
  for (std::size_t e = 0; e < kept_.events.size(); ++e) {
    const HistoryEvent& event = kept_.events[e];
    const double of_event[] = {static_cast<double>(event.kind), event.time, event.examples, event.value};
    std::ranges::copy(of_event, events.begin() + static_cast<std::ptrdiff_t>(e * kEventNumbers));
  }
}

Status History::restore(const State& state) {
  kept_ = HistoryCopy();
  told_.reset();
  if (state.find("history.samples") == nullptr) return {};
  GLIMPSE_TRY(restore_samples(state));
  GLIMPSE_TRY(restore_labels(state));
  GLIMPSE_TRY(restore_events(state));
  set_most(most_);
  return {};
}

Status History::restore_samples(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto names, state.get_text("history.columns"));
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<double>("history.samples"));
  const auto columns = columns_of(names);
  if (std::ranges::find(columns, HistoryColumn::kExamples) == columns.end() ||
      numbers.size() % columns.size() != 0)
    return failure(ErrorCode::kCorrupt,
                   "history.samples has {} numbers, which are no rows of the columns '{}'", numbers.size(),
                   names);
  double before = 0;
  for (std::size_t row = 0; row < numbers.size(); row += columns.size()) {
    HistorySample sample;
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c]) sample[*columns[c]] = numbers[row + c];
    const double examples = examples_of(sample);
    if (!is_count(examples) || !(examples > before))
      return failure(ErrorCode::kCorrupt, "history.samples has a sample of {} examples behind one of {}",
                     examples, before);
    before = examples;
    kept_.samples.push_back(sample);
  }
  return {};
}

Status History::restore_labels(const State& state) {
  if (state.find("history.labels") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<double>("history.labels"));
  GLIMPSE_TRY_ASSIGN(const auto columns,
                     state.get_number<std::uint64_t>("history.label_columns", kFirstLabelColumns));
  const std::size_t rows = kept_.samples.size();
  if (rows == 0 || columns == 0 || columns > numbers.size() || numbers.size() % (rows * columns) != 0)
    return failure(ErrorCode::kCorrupt,
                   "history.labels has {} numbers, which are not {} for each label of {} samples",
                   numbers.size(), columns, rows);
  const std::size_t shared = std::min<std::size_t>(columns, kLabelColumns.size());
  for (std::size_t at = 0; at < numbers.size(); at += columns) {
    std::vector<double>& further = kept_.samples[at * rows / numbers.size()].further;
    const std::size_t begin = further.size();
    further.resize(begin + kLabelColumns.size(), std::nan(""));
    std::ranges::copy(numbers.subspan(at, shared), further.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  return {};
}

Status History::restore_events(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<double>("history.events"));
  if (numbers.size() % kEventNumbers != 0)
    return failure(ErrorCode::kCorrupt, "history.events has {} numbers; must be {} for each", numbers.size(),
                   kEventNumbers);
  for (std::size_t e = 0; e < numbers.size(); e += kEventNumbers) {
    const auto number = numbers.subspan(e, kEventNumbers);
    if (!is_count(number[0]) || number[0] >= static_cast<double>(kKinds) || !is_count(number[2]))
      return failure(ErrorCode::kCorrupt, "history.events has an event of kind {} after {} examples",
                     number[0], number[2]);
    kept_.events.push_back({static_cast<HistoryEvent::Kind>(number[0]), number[1], number[2], number[3]});
  }
  return {};
}

}  // namespace glimpse
