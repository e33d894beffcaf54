#include "merging/merge_part.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/text/text.h"
#include "learn/factory.h"
#include "learn/options/state_options.h"

namespace glimpse {

namespace {

constexpr Attribute kNoAttribute = ~Attribute{0};

Error as_mismatch(const Error& error) {
  return failure(ErrorCode::kMismatch, "the learners do not go together: {}", error.message);
}

bool has_no_names(const AttributeNames& names) { return names.size() == 0; }

// The names of both are the same, number by number, as from one header.
bool are_alike(const AttributeNames& a, const AttributeNames& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a.name(static_cast<Attribute>(i)) != b.name(static_cast<Attribute>(i))) return false;
  return true;
}

// A number that only one of the two named: what the other one learned under it may be something else.
Status check_number(const NamedLearner& named, const NamedLearner& numbered, Attribute i) {
  const bool is_same = i < named.names.fixed() && !named.names.is_number_of_another(named.names.name(i), i);
  if (is_same || !numbered.learner->has_seen(i)) return {};
  return failure(ErrorCode::kMismatch,
                 "attribute {} is called {} in one learner and has only its number in the other: they cannot "
                 "be merged",
                 i, in_quotes(named.names.name(i)));
}

// Where only one of them has names, the other's numbers are what a header or a file named.
Status check_numbers(const NamedLearner& named, const NamedLearner& numbered) {
  for (std::size_t i = 0; i < named.names.size(); ++i)
    if (!named.names.name(static_cast<Attribute>(i)).empty())
      GLIMPSE_TRY(check_number(named, numbered, static_cast<Attribute>(i)));
  return {};
}

Status take_names(NamedLearner& into, const NamedLearner& other) {
  State theirs;
  theirs.begin();
  other.names.save(theirs);
  theirs.finish();
  State state;
  state.begin();
  for (const Tensor& tensor : theirs.tensors())
    if (tensor.name.starts_with("names/")) state.put_again(tensor.name, tensor);
  into.names.categories().save(state);
  state.finish();
  AttributeNames names(into.names.dimension());
  GLIMPSE_TRY(names.restore(state));
  into.names = std::move(names);
  return {};
}

Result<std::vector<Attribute>> by_name(NamedLearner& into, const NamedLearner& other) {
  const std::size_t d = other.names.dimension();
  std::vector<Attribute> attributes(d, kNoAttribute);
  std::vector<bool> taken(d);
  const auto take = [&](std::size_t i, Attribute own) {
    attributes[i] = own;
    taken[own] = true;
  };
  for (std::size_t i = 0; i < d; ++i) {  // by number, before names look for free ones
    if (!other.names.name(static_cast<Attribute>(i)).empty()) continue;
    if (!other.learner->has_seen(static_cast<Attribute>(i))) continue;
    if (const Status status = into.names.use_number(static_cast<Attribute>(i)); !status)
      return as_mismatch(status.error());
    take(i, static_cast<Attribute>(i));
  }
  for (std::size_t i = 0; i < other.names.size(); ++i) {
    const std::string_view name = other.names.name(static_cast<Attribute>(i));
    if (name.empty()) continue;
    const auto own = into.names.find_or_add(name);
    if (!own) return as_mismatch(own.error());
    if (taken[*own])
      return failure(ErrorCode::kMismatch,
                     "attribute {} is called {} in one learner and has only its number in the other: they "
                     "cannot be merged",
                     *own, in_quotes(name));
    take(i, *own);
  }
  std::size_t free = 0;
  for (std::size_t i = 0; i < d; ++i) {
    if (attributes[i] != kNoAttribute) continue;
    while (taken[free]) ++free;
    take(i, static_cast<Attribute>(free));
  }
  return attributes;
}

Result<std::vector<Attribute>> same_attributes(NamedLearner& into, const NamedLearner& other) {
  std::vector<Attribute> none;
  if (are_alike(into.names, other.names)) return none;
  if (has_no_names(other.names)) {
    GLIMPSE_TRY(check_numbers(into, other));
    return none;
  }
  if (has_no_names(into.names)) {
    GLIMPSE_TRY(check_numbers(other, into));
    GLIMPSE_TRY(take_names(into, other));
    return none;
  }
  return by_name(into, other);
}

constexpr std::string_view kOthers;  // has the code of all words without one

Status add_words(NamedLearner& into, const NamedLearner& other, Numbering& numbering) {
  const Categories& theirs = other.names.categories();
  Categories& ours = into.names.categories();
  ours.set_limit(Categories::kLargestLimit);  // what has a code there keeps one
  if (theirs.attributes().empty()) return {};
  numbering.codes.resize(other.names.dimension());
  for (const Attribute i : theirs.attributes()) {
    const Attribute own = numbering.attribute(i);
    if (!ours.holds(own))
      if (const Status status = ours.declare(own, in_quotes(into.names.callable_name(own))); !status)
        return as_mismatch(status.error());
    std::vector<std::uint32_t>& codes = numbering.codes[i];
    const double other_code = theirs.find(i, kOthers);
    for (std::uint32_t code = 0; code < theirs.codes(i); ++code) {
      const bool is_of_others = static_cast<double>(code) == other_code;
      const std::string_view word = is_of_others ? kOthers : theirs.word(i, code);
      codes.push_back(static_cast<std::uint32_t>(ours.find_or_add(own, word)));
    }
  }
  return {};
}

bool learns_classes(const NamedLearner& named) {
  return named.learner->is_classifier() || named.learner->labels().empty();
}

Status add_classes(NamedLearner& into, const NamedLearner& other, Numbering& numbering) {
  const Categories& theirs = other.names.categories();
  Categories& ours = into.names.categories();
  if (!theirs.has_label_words()) return {};
  const bool are_numbers = !ours.has_label_words() && !into.learner->labels().empty();
  if (are_numbers || !learns_classes(into) != !learns_classes(other))
    return failure(ErrorCode::kMismatch,
                   "the labels of one learner are words, those of the other numbers: they cannot be merged");
  const std::size_t most = into.learner->learns_classes() ? ClassCounts::kMost : 2;
  ours.set_label_limit(
      most, fmt::format("--algorithm {} learns {} classes at most", into.learner->options().algorithm, most));
  ours.declare_label();
  bool are_same = true;
  for (std::size_t c = 0; c < theirs.label_words().size(); ++c) {
    const auto code = ours.read_label(theirs.label_words()[c], true);
    if (!code) return as_mismatch(code.error());
    numbering.classes.push_back(static_cast<std::uint32_t>(*code));
    are_same = are_same && numbering.classes.back() == c;
  }
  if (are_same || learns_classes(other)) return {};
  return failure(ErrorCode::kMismatch,
                 "label {} is 0 in one learner and 1 in the other, as numbers: they cannot be merged",
                 in_quotes(theirs.label_words()[0]));
}

}  // namespace

Result<Numbering> same_numbers(NamedLearner& into, const NamedLearner& other) {
  if (into.names.dimension() != other.names.dimension())
    return failure(ErrorCode::kMismatch, "one learner has {} attributes, the other {}: they cannot be merged",
                   into.names.dimension(), other.names.dimension());
  Numbering numbering;
  GLIMPSE_TRY_ASSIGN(numbering.attributes, same_attributes(into, other));
  GLIMPSE_TRY(add_words(into, other, numbering));
  GLIMPSE_TRY(add_classes(into, other, numbering));
  into.names.keep();
  return numbering;
}

namespace {

constexpr std::size_t kNumbersAFile = 3;
constexpr std::size_t kNumbersASource = 4;

Error does_not_fit(const char* name) {
  return failure(ErrorCode::kCorrupt, "{} does not fit the lengths that are said of it", name);
}

// Texts that stand one behind the other.
class Pieces {
 public:
  explicit Pieces(std::span<const std::uint8_t> bytes)
      : rest_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}
  std::optional<std::string> take(std::uint64_t length) {
    if (length > rest_.size()) return std::nullopt;
    std::string piece(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return piece;
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

void put_bytes(State& state, const char* name, std::string_view bytes) {
  const auto room = state.put<std::uint8_t>(name, bytes.size());
  std::copy(bytes.begin(), bytes.end(), room.begin());
}

Error read_by_both(const char* what, const std::string& name) {
  return failure(ErrorCode::kMismatch, "both have learned from {} {}: merging would count its examples twice",
                 what, in_quotes(name));
}

}  // namespace

Result<ReadInputs> ReadInputs::of(const State& state) {
  ReadInputs inputs;
  GLIMPSE_TRY(inputs.read_files(state));
  GLIMPSE_TRY(inputs.read_sources(state));
  if (state.find("inputs.learners") != nullptr) {
    GLIMPSE_TRY_ASSIGN(const auto learners, state.get<std::uint64_t>("inputs.learners"));
    inputs.learners_.assign(learners.begin(), learners.end());
  }
  if (state.find("merged.checkpoints") == nullptr) return inputs;
  GLIMPSE_TRY_ASSIGN(const auto checkpoints, state.get<std::uint64_t>("merged.checkpoints"));
  inputs.checkpoints_.assign(checkpoints.begin(), checkpoints.end());
  return inputs;
}

Status ReadInputs::read_files(const State& state) {
  if (state.find("inputs.progress") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto progress, state.get<std::uint64_t>("inputs.progress"));
  GLIMPSE_TRY_ASSIGN(const auto names, state.get<std::uint8_t>("inputs.names"));
  const std::size_t count = progress.size() / kNumbersAFile;
  const auto fingerprints = state.get<std::uint64_t>("inputs.fingerprints", count);
  GLIMPSE_TRY_ASSIGN(const auto schemas, TableSchema::of_inputs(state, count));
  Pieces texts(names);
  for (std::size_t i = 0; i < count; ++i) {
    const auto name = texts.take(progress[kNumbersAFile * i]);
    if (!name) return does_not_fit("inputs.names");
    File file{progress[kNumbersAFile * i + 1], progress[kNumbersAFile * i + 2]};
    if (fingerprints) file.fingerprint = (*fingerprints)[i];
    if (i < schemas.size()) file.schema = schemas[i];
    files_.emplace_back(*name, std::move(file));
  }
  if (!texts.is_at_end() || progress.size() != count * kNumbersAFile) return does_not_fit("inputs.names");
  return {};
}

Status ReadInputs::read_sources(const State& state) {
  if (state.find("sources.progress") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto progress, state.get<std::uint64_t>("sources.progress"));
  GLIMPSE_TRY_ASSIGN(const auto names, state.get<std::uint8_t>("sources.names"));
  GLIMPSE_TRY_ASSIGN(const auto openings, state.get<std::uint8_t>("sources.openings"));
  GLIMPSE_TRY_ASSIGN(const auto lengths, state.get<std::uint64_t>("sources.opening_lengths"));
  Pieces texts(names);
  Pieces records(openings);
  std::size_t next = 0;
  for (std::size_t i = 0; i + kNumbersASource <= progress.size(); i += kNumbersASource) {
    const auto name = texts.take(progress[i]);
    if (!name) return does_not_fit("sources.names");
    Source source{progress[i + 1], {}, progress[i + 3] != 0};
    for (std::uint64_t n = 0; n < progress[i + 2]; ++n) {
      const auto record = next < lengths.size() ? records.take(lengths[next++]) : std::nullopt;
      if (!record) return does_not_fit("sources.openings");
      source.opening.push_back(*record);
    }
    sources_.emplace(*name, std::move(source));
  }
  return {};
}

Status ReadInputs::add_checkpoint(std::uint64_t checksum) {
  if (std::ranges::find(checkpoints_, checksum) != checkpoints_.end())
    return failure(
        ErrorCode::kMismatch,
        "the checkpoint of checksum xxh3:{:016x} is merged already: its examples would count twice",
        checksum);
  checkpoints_.push_back(checksum);
  return {};
}

Status ReadInputs::merge(const ReadInputs& other, bool anyhow) {
  ReadInputs merged = *this;
  for (const std::uint64_t checksum : other.checkpoints_)
    if (const Status status = merged.add_checkpoint(checksum); !status && !anyhow) return status;
  for (const auto& [name, source] : other.sources_) {
    const auto [known, is_new] = merged.sources_.emplace(name, source);
    if (is_new || source.records == 0) continue;
    if (known->second.records > 0 && !anyhow) return read_by_both("the source", name);
    if (source.records > known->second.records) known->second = source;
  }
  for (const auto& [name, file] : other.files_) {
    const auto known = std::ranges::find(merged.files_, name, [](const auto& entry) { return entry.first; });
    if (known == merged.files_.end()) {
      merged.files_.emplace_back(name, file);
      continue;
    }
    if (file.position == 0) continue;
    if (known->second.position > 0 && !anyhow) return read_by_both("the file", name);
    if (file.position > known->second.position) known->second = file;
  }
  for (const std::uint64_t learner : other.learners_) {
    if (std::ranges::find(merged.learners_, learner) == merged.learners_.end()) {
      merged.learners_.push_back(learner);
      continue;
    }
    if (!anyhow)
      return failure(ErrorCode::kMismatch,
                     "both have in them what learner {:016x} has learned: merging would count its examples "
                     "twice",
                     learner);
  }
  *this = std::move(merged);
  return {};
}

std::vector<std::string> ReadInputs::names() const {
  std::vector<std::string> names;
  for (const auto& [name, source] : sources_) names.push_back(name);
  for (const auto& [name, file] : files_) names.push_back(name);
  return names;
}

void ReadInputs::save(State& state) const {
  std::string names;
  std::vector<std::uint64_t> progress;
  std::vector<std::uint64_t> fingerprints;
  std::string schemas;
  bool has_schemas = true;
  for (const auto& [name, file] : files_) {
    names += name;
    for (const std::uint64_t number : {std::uint64_t{name.size()}, file.position, file.records})
      progress.push_back(number);
    fingerprints.push_back(file.fingerprint);
    has_schemas = has_schemas && file.schema;
    if (file.schema) schemas.append(file.schema->describe()).push_back('\0');
  }
  put_bytes(state, "inputs.names", names);
  state.put_copy<std::uint64_t>("inputs.progress", progress);
  state.put_copy<std::uint64_t>("inputs.fingerprints", fingerprints);
  if (has_schemas) put_bytes(state, "inputs.schemas", schemas);  // of a release that noted them
  names.clear();
  progress.clear();
  std::string openings;
  std::vector<std::uint64_t> lengths;
  for (const auto& [name, source] : sources_) {
    names += name;
    for (const std::string& record : source.opening) {
      openings += record;
      lengths.push_back(record.size());
    }
    for (const std::uint64_t number :
         {std::uint64_t{name.size()}, source.records, std::uint64_t{source.opening.size()},
          std::uint64_t{source.opening_is_whole}})
      progress.push_back(number);
  }
  put_bytes(state, "sources.names", names);
  put_bytes(state, "sources.openings", openings);
  state.put_copy<std::uint64_t>("sources.progress", progress);
  state.put_copy<std::uint64_t>("sources.opening_lengths", lengths);
  if (!learners_.empty()) state.put_copy<std::uint64_t>("inputs.learners", learners_);
  if (!checkpoints_.empty()) state.put_copy<std::uint64_t>("merged.checkpoints", checkpoints_);
}

namespace {

// What is of one process alone, or says how records are read: the first part's.
constexpr std::string_view kOfFirst[] = {"plans.",       "frozen.",        "promotion.",   "history.",
                                         "inputs.table", "inputs.reading", "inputs.schema"};

bool is_of_first(std::string_view name) {
  if (name == "inputs.readings" || name == "inputs.schemas") return false;
  return std::ranges::any_of(kOfFirst, [&](std::string_view begin) { return name.starts_with(begin); });
}

void copy_of_first(const State& from, State& to) {
  for (const Tensor& tensor : from.tensors())
    if (is_of_first(tensor.name)) to.put_again(tensor.name, tensor);
  for (const Text& text : from.texts())
    if (is_of_first(text.name)) to.put_text(text.name, text.value);
}

constexpr const char* kGenerators[] = {"random", "random.inner"};

// As good as independent of those of both, which may go on by themselves.
Random random_of(const Random& a, const Random& b) {
  Random first = a;
  Random second = b;
  return Random(first.bits() + 3 * second.bits());
}

}  // namespace

Status HeldOutSums::restore(const State& state) {
  if (state.find("held_out.counts") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<std::uint64_t>("held_out.counts", 3));
  counts.assign(numbers.begin(), numbers.end());
  GLIMPSE_TRY(losses.restore(state, "held_out"));
  return temperature.restore(state, "held_out.temperature");
}

void HeldOutSums::save(State& state) const {
  if (counts.empty()) return;
  state.put_copy<std::uint64_t>("held_out.counts", counts);
  if (counts[1] > 0) losses.save(state, "held_out");
  if (temperature.count() > 0) temperature.save(state, "held_out.temperature");
}

void HeldOutSums::merge(const HeldOutSums& other, std::span<const std::uint32_t> classes_there) {
  if (other.counts.empty()) return;
  counts.resize(other.counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  losses.merge(other.losses, classes_there);
  temperature.merge(other.temperature);
}

Result<MergePart> MergePart::restore(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto text, state.get_text("learner.options"));
  GLIMPSE_TRY_ASSIGN(const auto options, described_options(text));
  std::optional<SecondMoments> known;
  if (wants_moments(options.algorithm)) {
    known.emplace(options.dimension);
    GLIMPSE_TRY(known->restore(state));
  }
  GLIMPSE_TRY_ASSIGN(auto learner, make_learner(options, known ? &*known : nullptr));
  GLIMPSE_TRY(learner->restore(state));
  learner->choose_origins_now();
  MergePart part({std::move(learner), AttributeNames(options.dimension)});
  if (state.find("names/text") != nullptr) GLIMPSE_TRY(part.named_.names.restore(state));
  const std::size_t classes = part.learner().classes().size();
  if (classes > part.names().categories().label_words().size())
    return failure(ErrorCode::kCorrupt, "learner.classes has {} classes, and label_words {} names", classes,
                   part.names().categories().label_words().size());
  GLIMPSE_TRY_ASSIGN(part.inputs_, ReadInputs::of(state));
  GLIMPSE_TRY(part.held_out_.restore(state));
  part.of_first_.begin();
  copy_of_first(state, part.of_first_);
  part.of_first_.finish();
  for (const char* const name : kGenerators) {
    const auto words = state.get<std::uint64_t>(name, 4);
    if (words)
      part.random_.push_back(Random::from_state({(*words)[0], (*words)[1], (*words)[2], (*words)[3]}));
  }
  const std::pair<const char*, std::uint64_t*> numbers[] = {{"predictions", &part.predictions_},
                                                            {"spending.cost", &part.cost_},
                                                            {"spending.replaced", &part.replaced_}};
  for (const auto& [name, number] : numbers) {
    GLIMPSE_TRY_ASSIGN(const auto value, state.get_number<std::uint64_t>(name, std::uint64_t{0}));
    *number = value;
  }
  return part;
}

Status MergePart::merge(const MergePart& other, bool anyhow) {
  GLIMPSE_TRY(inputs_.merge(other.inputs_, anyhow));
  GLIMPSE_TRY(named_.learner->check_mergeable(*other.named_.learner));
  GLIMPSE_TRY_ASSIGN(const auto numbering, same_numbers(named_, other.named_));
  GLIMPSE_TRY(named_.learner->merge(*other.named_.learner, numbering));
  held_out_.merge(other.held_out_, numbering.classes);
  for (std::size_t r = 0; r < std::min(random_.size(), other.random_.size()); ++r)
    random_[r] = random_of(random_[r], other.random_[r]);
  parts_ += other.parts_;
  predictions_ += other.predictions_;
  cost_ += other.cost_;
  replaced_ += other.replaced_;
  return {};
}

Result<MergePart> MergePart::copy() const {
  State state;
  save(state);
  auto copy = restore(state);
  if (copy) copy->parts_ = parts_;
  return copy;
}

void MergePart::save(State& state) const {
  state.begin();
  named_.learner->save(state);
  named_.names.save(state);
  for (std::size_t r = 0; r < random_.size(); ++r)
    state.put_copy<std::uint64_t>(kGenerators[r], random_[r].state());
  state.put_number("predictions", predictions_);
  state.put_number("spending.cost", cost_);
  if (replaced_ > 0) state.put_number("spending.replaced", replaced_);
  inputs_.save(state);
  held_out_.save(state);
  copy_of_first(of_first_, state);
  state.finish();
}

}  // namespace glimpse
