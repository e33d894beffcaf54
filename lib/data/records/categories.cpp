#include "data/records/categories.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "data/records/cell.h"
#include "data/text/encoding.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr std::string_view kOther = "(other)";

// For one more, so that adding it takes no memory.
template <class T>
void make_room(std::vector<T>& values) {
  constexpr std::size_t kLeast = 8;
  if (values.size() == values.capacity()) values.reserve(std::max(2 * values.size(), kLeast));
}

}  // namespace

bool has_control_character(std::string_view word) {
  return std::ranges::any_of(word, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
  });
}

std::size_t Categories::codes(Attribute attribute) const {
  return holds(attribute) ? words_[places_[attribute]].names.size() : 0;
}

std::string_view Categories::word(Attribute attribute, std::uint32_t code) const {
  if (code >= codes(attribute)) return {};
  const Words& words = words_[places_[attribute]];
  return code == words.other ? kOther : words.names[code];
}

bool Categories::has_other(Attribute attribute) const {
  return holds(attribute) && words_[places_[attribute]].other != kNone;
}

void Categories::make(Attribute attribute) {
  if (attribute >= places_.size()) places_.resize(attribute + std::size_t{1}, kNone);
  if (is_number(attribute)) numbers_[attribute] = false;
  make_room(attributes_);
  words_.emplace_back();
  places_[attribute] = static_cast<std::uint32_t>(attributes_.size());
  attributes_.push_back(attribute);
}

Status Categories::declare(Attribute attribute, std::string_view called) {
  if (holds(attribute)) {
    declared_.push_back(attribute);
    return {};
  }
  if (!refusal_.empty())
    return failure(ErrorCode::kInvalidInput, "{} cannot be categories: {}", called, refusal_);
  if (learned_.value && learned_.value(attribute))
    return failure(
        ErrorCode::kInvalidInput,
        "{} was learned from as a number, and stays one: only a model that begins from nothing can "
        "take its values as categories",
        called);
  make(attribute);
  declared_.push_back(attribute);
  kept_attributes_ = attributes_.size();
  return {};
}

void Categories::declare_number(Attribute attribute) {
  if (holds(attribute)) return;
  if (attribute >= numbers_.size()) numbers_.resize(attribute + std::size_t{1});
  numbers_[attribute] = true;
}

void Categories::declare_date(Date date) {
  if (std::ranges::find(dates_, date.attribute, &Date::attribute) == dates_.end())
    dates_.push_back(std::move(date));
}

std::optional<double> Categories::read_date(Attribute attribute, std::string_view text) const {
  const auto date = std::ranges::find(dates_, attribute, &Date::attribute);
  double days = 0;
  return date != dates_.end() && date->read(text, days) ? std::optional(days) : std::nullopt;
}

double Categories::find(Attribute attribute, std::string_view word) const {
  const Words& words = words_[places_[attribute]];
  if (const auto found = words.codes.find(word); found != words.codes.end()) return found->second;
  return words.other != kNone ? words.other : kUnknown;
}

// Without memory for all of it nothing is changed.
std::uint32_t Categories::add(Words& words, std::string_view word) {
  const auto code = static_cast<std::uint32_t>(words.names.size());
  make_room(words.names);
  make_room(added_);
  if (word.empty()) {
    words.other = code;
    words.names.emplace_back();
  } else {
    words.names.push_back(words.codes.emplace(std::string(word), code).first->first);
  }
  added_.push_back(static_cast<std::uint32_t>(&words - words_.data()));
  return code;
}

double Categories::find_or_add(Attribute attribute, std::string_view word) {
  Words& words = words_[places_[attribute]];
  if (const auto found = words.codes.find(word); found != words.codes.end()) return found->second;
  if (words.codes.size() < limit_ && word.size() <= kLongest && !word.empty()) return add(words, word);
  return words.other != kNone ? words.other : add(words, {});
}

Result<double> Categories::read(Attribute attribute, std::string_view word, bool learns,
                                std::string_view called) {
  if (holds(attribute)) return learns ? find_or_add(attribute, word) : find(attribute, word);
  if (const auto days = read_date(attribute, word)) return *days;
  if (is_number(attribute) || takes_odd(attribute)) {  // a twin() knows of no others
    if (is_missing_number(word)) return kUnknown;
    if (const auto truth = truth_value(word)) return *truth;
  }
  if (takes_odd(attribute)) {
    odd_.push_back({attribute, std::string(word.substr(0, kLongest))});
    return kUnknown;
  }
  if (has_numbers(attribute))
    return failure(
        ErrorCode::kInvalidInput,
        "value {0} is a word, and {1} holds numbers: leave the field empty or write NA where it is "
        "missing, leave the column out with --ignore{2}, or begin with --categories{2}; an attribute that a "
        "record does not name may count as the number 0 there (--absent)",
        in_quotes(word), in_quotes(called), as_argument(called));
  if (!refusal_.empty())
    return failure(ErrorCode::kInvalidInput, "{} holds words, as {}: {}", in_quotes(called), in_quotes(word),
                   refusal_);
  if (has_control_character(word))
    return failure(
        ErrorCode::kInvalidInput,
        "value {} of {} has control characters: it is damaged, and neither a number nor a category",
        in_quotes(word), in_quotes(called));
  if (looks_like_date(word))
    return failure(
        ErrorCode::kInvalidInput,
        "{} holds dates or times, as {}, which are neither numbers nor categories: leave it out with "
        "--ignore{}",
        in_quotes(called), in_quotes(word), as_argument(called));
  if (looks_like_odd_number(word))
    return failure(ErrorCode::kInvalidInput, "{}", odd_number_advice(called, word));
  if (!learns) return kUnknown;
  make(attribute);
  return find_or_add(attribute, word);
}

void Categories::keep() {
  added_.clear();
  kept_attributes_ = attributes_.size();
  kept_label_words_ = label_words_.size();
  kept_has_label_words_ = has_label_words_;
}

void Categories::forget_last(Words& words) {
  if (words.names.empty()) return;
  if (words.other != kNone && words.other + 1 == words.names.size())
    words.other = kNone;
  else
    words.codes.erase(words.codes.find(words.names.back()));
  words.names.pop_back();
}

void Categories::forget_words(Attribute attribute, std::size_t count) {
  Words& words = words_[places_[attribute]];
  while (words.names.size() > count) forget_last(words);
}

void Categories::forget_attribute(Attribute attribute) {
  const std::uint32_t place = std::exchange(places_[attribute], kNone);
  attributes_.erase(attributes_.begin() + place);
  words_.erase(words_.begin() + place);
  for (std::uint32_t& other : places_)
    if (other != kNone && other > place) --other;
  kept_attributes_ = attributes_.size();
}

void Categories::take_back() {
  for (auto place = added_.rbegin(); place != added_.rend(); ++place) forget_last(words_[*place]);
  added_.clear();
  while (attributes_.size() > kept_attributes_) {
    places_[attributes_.back()] = kNone;
    attributes_.pop_back();
  }
  words_.resize(attributes_.size());
  forget_label_words(kept_label_words_);
  has_label_words_ = kept_has_label_words_;
}

void Categories::forget_label_words(std::size_t count) {
  for (; label_words_.size() > count; label_words_.pop_back()) label_codes_.erase(label_words_.back());
  kept_label_words_ = std::min(kept_label_words_, label_words_.size());
}

namespace {

// Texts one after the other, and where each ends.
void put_texts(State& state, const std::string& name, const std::vector<std::string_view>& texts) {
  std::size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  const auto ends = state.put<std::uint64_t>(name + "/ends", texts.size());
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) ends[i] = end += texts[i].size();
  const auto room = state.put<std::uint8_t>(name + "/text", bytes);
  auto to = room.begin();
  for (const std::string_view text : texts) to = std::copy(text.begin(), text.end(), to);
}

Result<std::vector<std::string>> get_texts(const State& state, const std::string& name) {
  GLIMPSE_TRY_ASSIGN(const auto ends, state.get<std::uint64_t>(name + "/ends"));
  GLIMPSE_TRY_ASSIGN(const auto bytes, state.get<std::uint8_t>(name + "/text"));
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<std::string> texts;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    if (end < begin || end > all.size()) break;
    texts.emplace_back(all.substr(begin, end - begin));
    begin = end;
  }
  if (texts.size() != ends.size() || begin != all.size())
    return failure(ErrorCode::kCorrupt, "the array '{}/ends' does not fit '{}/text' of {} bytes", name, name,
                   all.size());
  return texts;
}

}  // namespace

void Categories::save(State& state) const {
  if (!empty()) {
    state.put_copy<std::uint32_t>("categories/attributes", attributes_);
    const auto counts = state.put<std::uint32_t>("categories/counts", words_.size());
    for (std::size_t p = 0; p < words_.size(); ++p)
      counts[p] = static_cast<std::uint32_t>(words_[p].names.size());
    std::vector<std::string_view> all;
    for (const Words& words : words_) all.insert(all.end(), words.names.begin(), words.names.end());
    put_texts(state, "categories", all);
  }
  if (!numbers_.empty()) {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < numbers_.size(); ++i)
      if (numbers_[i]) numbers.push_back(i);
    state.put_copy<std::uint32_t>("inputs.numbers", numbers);
  }
  if (is_label_number_) state.put<std::uint8_t>("inputs.label_is_number", 1)[0] = 1;
  if (has_label_words_) put_texts(state, "label_words", {label_words_.begin(), label_words_.end()});
}

Status Categories::restore(const State& state, std::size_t dimension) {
  Categories restored;
  if (state.find("categories/attributes") != nullptr) {
    GLIMPSE_TRY_ASSIGN(const auto attributes, state.get<std::uint32_t>("categories/attributes"));
    GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint32_t>("categories/counts", attributes.size()));
    GLIMPSE_TRY_ASSIGN(const auto texts, get_texts(state, "categories"));
    std::size_t next = 0;
    for (std::size_t p = 0; p < attributes.size(); ++p) {
      if (attributes[p] >= dimension || restored.holds(attributes[p]))
        return failure(ErrorCode::kCorrupt, "categories/attributes holds {}, of {} attributes", attributes[p],
                       dimension);
      restored.make(attributes[p]);
      Words& words = restored.words_.back();
      for (std::uint32_t code = 0; code < counts[p]; ++code, ++next) {
        const bool is_known =
            next < texts.size() &&
            (texts[next].empty() ? words.other != kNone : words.codes.contains(texts[next]));
        if (next >= texts.size() || is_known)
          return failure(ErrorCode::kCorrupt, "categories/counts does not fit categories/ends");
        restored.add(words, texts[next]);
      }
    }
    if (next != texts.size())
      return failure(ErrorCode::kCorrupt, "categories/counts does not fit categories/ends");
  }
  if (state.find("inputs.numbers") != nullptr) {
    GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<std::uint32_t>("inputs.numbers"));
    for (const Attribute i : numbers) {
      if (i >= dimension || restored.holds(i))
        return failure(ErrorCode::kCorrupt, "inputs.numbers holds {}, of {} attributes", i, dimension);
      restored.declare_number(i);
    }
  }
  restored.is_label_number_ = state.find("inputs.label_is_number") != nullptr;
  if (state.find("label_words/ends") != nullptr) {
    GLIMPSE_TRY_ASSIGN(auto texts, get_texts(state, "label_words"));
    for (const std::string& text : texts) {
      if (restored.label_codes_.contains(text) || restored.label_words_.size() >= kLargestLimit)
        return failure(ErrorCode::kCorrupt, "label_words/text holds {} twice, or too many words",
                       in_quotes(text));
      restored.add_label_word(text);
    }
    restored.has_label_words_ = true;
  }
  restored.keep();
  restored.limit_ = limit_;
  restored.label_limit_ = std::max(label_limit_, restored.label_words_.size());
  restored.label_mend_ = std::move(label_mend_);
  restored.refusal_ = std::move(refusal_);
  restored.learned_ = std::move(learned_);
  restored.declared_ = std::move(declared_);
  restored.dates_ = std::move(dates_);
  restored.is_label_declared_ = is_label_declared_;
  restored.takes_odd_ = takes_odd_;
  *this = std::move(restored);
  return {};
}

// The words of labels: classes.

namespace {

// As numbers are written that are classes: 3, not 3.0. At most 24 characters: usually no allocation.
std::string plain_number(double number) { return fmt::format("{}", number == 0 ? 0.0 : number); }

// Above it not every whole number is a double: two of them would be one class.
constexpr double kExactWhole = 9007199254740992;  // 2^53

bool is_numeric(std::string_view word) {
  double number = 0;
  return read_number(word, number);
}

Error beyond_exact(std::string_view word) {
  return failure(
      ErrorCode::kInvalidInput,
      "label {} is a number from 2^53 on, where neighbours become one: as the name of a class it must "
      "be a word, as {}",
      in_quotes(word), in_quotes(std::string("c").append(word)));
}

// As programs write what is no finite number, with a sign or without.
bool is_no_number(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  return std::ranges::any_of(std::to_array<std::string_view>({"nan", "inf", "infinity"}), [&](auto known) {
    return std::ranges::equal(word, known, {}, [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c + 0; });
  });
}

// Why no class can be called so, as messages say it; empty: one can. Answers are UTF-8, replies are lines,
// and two classes must not look alike.
std::string trouble_of_name(std::string_view word) {
  for (std::string_view rest = word; !rest.empty();) {
    const Character character = first_character(rest);
    if (character.length == 0)
      return "is no UTF-8, in which answers are: convert the input (iconv -f LATIN1 -t UTF-8)";
    if (character.kind == Character::Kind::kHidden)
      return "has a control character or another that is not seen, as a line end or a mark of direction, "
             "which "
             "the name of a class cannot have: take it out of the input";
    rest.remove_prefix(character.length);
  }
  return {};
}

}  // namespace

void Categories::set_label_limit(std::size_t limit, std::string why) {
  label_limit_ = limit;
  label_mend_ = std::move(why);
}

void Categories::add_label_word(std::string_view word) {
  label_words_.emplace_back(word);  // first: take_back() erases the codes of words
  label_codes_.emplace(word, static_cast<std::uint32_t>(label_words_.size() - 1));
}

Status Categories::declare_label_words(const std::vector<std::string>& words) {
  for (std::size_t c = 0; c < words.size(); ++c) {
    if (c < label_words_.size() && label_words_[c] == words[c]) continue;
    if (c < label_words_.size())
      return failure(ErrorCode::kInvalidOption, "class {} is {}, as the checkpoint has it, and not {}", c,
                     in_quotes(label_words_[c]), in_quotes(words[c]));
    if (words[c].empty() || words[c].size() > kLongest || label_codes_.contains(words[c]))
      return failure(ErrorCode::kInvalidOption,
                     "{}: a class has a name of 1 to {} bytes, and no other has it", in_quotes(words[c]),
                     kLongest);
    if (trimmed(words[c]) != words[c])
      return failure(ErrorCode::kInvalidOption, "{}: no label is called so, with blanks around it",
                     in_quotes(words[c]));
    if (const std::string trouble = trouble_of_name(words[c]); !trouble.empty())
      return failure(ErrorCode::kInvalidOption, "{} {}", in_quotes(words[c]), trouble);
    if (double number = 0; read_number(words[c], number) && std::abs(number) >= kExactWhole)
      return failure(ErrorCode::kInvalidOption, "{}", beyond_exact(words[c]).message);
    if (double number = 0; read_number(words[c], number) && plain_number(number) != words[c])
      return failure(ErrorCode::kInvalidOption, "{}: of numbers {} is the class {}", in_quotes(words[c]),
                     words[c], plain_number(number));
    if (label_words_.size() >= label_limit_)
      return failure(ErrorCode::kInvalidOption, "{}", too_many_labels(words[c]));
    add_label_word(words[c]);
  }
  declare_label();
  kept_label_words_ = label_words_.size();
  declared_label_words_ = words.size();
  return {};
}

std::string Categories::too_many_labels(std::string_view word) const {
  return fmt::format("label {} is one class too many: there are {} ({}{}){}{}", in_quotes(word),
                     label_words_.size(),
                     fmt::join(label_words_.begin(),
                               label_words_.begin() +
                                   static_cast<std::ptrdiff_t>(std::min<std::size_t>(label_words_.size(), 4)),
                               ", "),
                     label_words_.size() > 4 ? ", …" : "", label_mend_.empty() ? "" : "; ", label_mend_);
}

Result<double> Categories::read_label(double number, bool learns) {
  if (!has_label_words_) return number;
  if (std::abs(number) >= kExactWhole) return beyond_exact(plain_number(number));
  return read_label(plain_number(number), learns);
}

Result<double> Categories::read_label(std::string_view word, bool learns) {
  double number = 0;
  const bool is_number = read_number(word, number);
  if (has_label_words_ && is_number) {
    if (std::abs(number) >= kExactWhole) return beyond_exact(word);
    if (const std::string plain = plain_number(number); plain != word) return read_label(plain, learns);
  }
  const auto found = label_codes_.find(word);
  if (found != label_codes_.end()) return static_cast<double>(found->second);
  if (!has_label_words_ && (is_label_number_ || (learned_.label && learned_.label())))
    return failure(ErrorCode::kInvalidInput,
                   "label {} is not a finite number, as those before were: --task classes takes numbers for "
                   "names of classes as well",
                   in_quotes(word));
  if (learns && label_words_.size() >= label_limit_)
    return failure(ErrorCode::kInvalidInput, "{}", too_many_labels(word));
  if (word.size() > kLongest)
    return failure(ErrorCode::kInvalidInput, "label {} has {} bytes; a word has {} at most", in_quotes(word),
                   word.size(), kLongest);
  if (label_words_.empty() && !is_number && looks_like_date(word))
    return failure(ErrorCode::kInvalidInput,
                   "label {} is a date or a time: the label must be a number, or the name of a class",
                   in_quotes(word));
  if (const std::string trouble = trouble_of_name(word); !trouble.empty())
    return failure(ErrorCode::kInvalidInput, "label {} {}", in_quotes(word), trouble);
  if (is_no_number(word))
    return failure(
        ErrorCode::kInvalidInput,
        "label {} is what programs write for no number: leave the label empty where it is not known; "
        "--classes takes it for the name of a class",
        in_quotes(word));
  // Beside classes that are numbers as well.
  if (!is_number && (label_words_.empty() || is_numeric(label_words_.front())) && looks_like_odd_number(word))
    return failure(ErrorCode::kInvalidInput, "{}", odd_label_advice(word));
  if (!learns) return static_cast<double>(label_words_.size());
  add_label_word(word);
  has_label_words_ = true;
  return static_cast<double>(label_words_.size() - 1);
}

}  // namespace glimpse
