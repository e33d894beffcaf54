#include "data/records/attribute_names.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <unordered_set>

#include "base/numbers.h"
#include "data/records/cell.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {
std::uint64_t new_version() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}
}  // namespace

AttributeNames::AttributeNames(std::size_t dimension) : dimension_(dimension) {}

std::optional<Attribute> AttributeNames::find(std::string_view name) const {
  const auto found = indices_.find(name);
  if (found == indices_.end()) return std::nullopt;
  return found->second;
}

Result<Attribute> AttributeNames::resolve(std::string_view text, bool is_number) const {
  if (const auto named = find(text); named && !is_number) return *named;
  std::uint64_t index = 0;
  if (!read_index(text, index)) return no_such_name(text);
  if (index >= dimension_)
    return failure(ErrorCode::kInvalidInput, "attribute {} must be from 0 to {}", text, dimension_ - 1);
  return static_cast<Attribute>(index);
}

Error AttributeNames::no_such_name(std::string_view name) const {
  return failure(ErrorCode::kInvalidInput, "no attribute is called {}{}{}", in_quotes(name),
                 did_you_mean(name, names_),
                 is_mistaken_number(name)
                     ? ", and this model has attributes by number: a number is digits alone, as \"1\"; "
                       "--attributes FILE gives names that look like numbers"
                     : "");
}

bool AttributeNames::is_mistaken_number(std::string_view name) const {
  double number = 0;
  std::uint64_t index = 0;
  if (!uses_numbers() || read_index(name, index)) return false;
  std::string_view text = trimmed(name);
  if (read_number(text, number) || looks_like_odd_number(text)) return true;
  if (text.starts_with('+')) text.remove_prefix(1);
  if (whole_text_as<double>(text)) return true;  // NaN and infinities
  // As others write them: #1, 1_0, 1L, "1:".
  const std::size_t digits = std::min(text.find_first_not_of("+-.#"), text.size());
  return digits < text.size() && is_digit(text[digits]) &&
         text.find_first_not_of("0123456789+-.,:;_' eExXlL", digits) == text.npos;
}

bool AttributeNames::is_number_of_another(std::string_view name, std::size_t index) const {
  double number = 0;
  return read_number(trimmed(name), number) && number != static_cast<double>(index) && number >= 0 &&
         number < static_cast<double>(dimension_) && number == std::floor(number);
}

Status AttributeNames::check_header(const std::vector<std::string>& names) const {
  if (!uses_numbers()) return {};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name(static_cast<Attribute>(i)).empty() && is_number_of_another(names[i], i))
      return failure(
          ErrorCode::kInvalidInput,
          "the header would call attribute {} of this model {}, and attributes were used by number "
          "before, so that {} may mean another one: remove the header line where the columns are "
          "attributes 0, 1, ... in order, or name them with --attributes FILE",
          i, in_quotes(names[i]), in_quotes(names[i]));
  return {};
}

Result<Attribute> AttributeNames::find_or_add(std::string_view name) {
  if (const auto found = indices_.find(name); found != indices_.end()) return found->second;
  if (!open_ || are_complete() || is_mistaken_number(name)) return no_such_name(name);
  const std::size_t free = free_index();
  if (free >= dimension_) return no_free_index(name);
  add(free, name);
  return static_cast<Attribute>(free);
}

// The dimension when there is none.
std::size_t AttributeNames::free_index() {
  const std::size_t above = std::max({names_.size(), numbers_.end, promised_.end});
  if (above < dimension_) return above;
  while (lowest_free_ < dimension_) {
    if (numbers_.holds(lowest_free_)) {
      lowest_free_ = numbers_.end;
    } else if (promised_.holds(lowest_free_)) {
      lowest_free_ = promised_.end;
    } else if (!name(static_cast<Attribute>(lowest_free_)).empty()) {
      ++lowest_free_;
    } else {
      break;
    }
  }
  return lowest_free_;
}

Error AttributeNames::no_free_index(std::string_view name) const {
  Range used = numbers_;
  if (promised_.end > 0) used.add(promised_.begin, promised_.end - 1);
  if (used.begin == used.end) {
    return failure(ErrorCode::kInvalidInput,
                   "no index is free for the new attribute {}: all {} of this model have names; more need a "
                   "larger --dimension",
                   in_quotes(name), dimension_);
  }
  return failure(
      ErrorCode::kInvalidInput,
      "no index is free for the new attribute {}: of {}, those from {} to {} are in use by number, "
      "and others have names; name them with --attributes FILE",
      in_quotes(name), dimension_, used.begin, used.end - 1);
}

// The name is noted in added_ first, so that take_back() also puts right what memory was not enough for.
void AttributeNames::add(std::size_t index, std::string_view name) {
  added_.push_back(static_cast<Attribute>(index));
  version_ = new_version();
  if (index >= tails_.size()) tails_.resize(index + 1);
  if (index >= names_.size()) names_.resize(index + 1);
  names_[index] = indices_.emplace(std::string(name), static_cast<Attribute>(index)).first->first;
  tails_[index] = tail_of(name.data(), name.data(), name.data() + name.size());
}

AttributeNames AttributeNames::twin() const {
  AttributeNames twin(dimension_);
  twin.fixed_ = fixed_;
  for (std::size_t index = 0; index < names_.size(); ++index)
    if (!names_[index].empty()) twin.add(index, names_[index]);
  twin.promised_ = {0, 1};  // so that no number in another form is a new name
  twin.categories_.set_learned({[](Attribute) { return true; }, [] { return true; }});
  twin.categories_.declare_numbers_of(categories_);
  twin.keep();
  return twin;
}

void AttributeNames::take_back() {
  categories_.take_back();
  if (!added_.empty()) version_ = new_version();
  for (const Attribute index : added_) {
    lowest_free_ = std::min<std::size_t>(lowest_free_, index);
    if (name(index).empty()) continue;
    indices_.erase(indices_.find(names_[index]));
    names_[index] = {};
  }
  if (!added_.empty())
    while (!names_.empty() && names_.back().empty()) names_.pop_back();
  added_.clear();
  fixed_ = kept_fixed_;
  if (numbers_.begin != kept_numbers_.begin || numbers_.end != kept_numbers_.end)
    lowest_free_ = std::min(lowest_free_, numbers_.begin);
  numbers_ = kept_numbers_;
}

void AttributeNames::give_numbers(std::span<const Attribute> attributes) {
  for (const Attribute index : attributes)
    if (index >= fixed_ && name(index).empty()) numbers_.add(index, index);
  keep();
}

void AttributeNames::promise_numbers(std::span<const Attribute> attributes) {
  for (const Attribute index : attributes)
    if (index >= fixed_ && name(index).empty()) promised_.add(index, index);
}

void AttributeNames::release_numbers() {
  if (promised_.end > 0) lowest_free_ = std::min(lowest_free_, promised_.begin);
  promised_ = {};
}

Error AttributeNames::number_is_named(Attribute index) const {
  return failure(ErrorCode::kInvalidInput,
                 "attribute {} is what this model calls {}: call it by its name, or by either after a start "
                 "with --attributes FILE",
                 index, in_quotes(names_[index]));
}

Error AttributeNames::words_in(const char* format) const {
  return failure(ErrorCode::kInvalidInput,
                 "attribute {} holds categories, which {} cannot say: send CSV or JSON",
                 in_quotes(callable_name(categories_.attributes().front())), format);
}

Status AttributeNames::fix(const std::vector<std::string>& names, bool stays) {
  if (names.size() > dimension_) {
    return failure(ErrorCode::kInvalidInput, "{} names are too many: this model has dimension {}",
                   names.size(), dimension_);
  }
  std::unordered_set<std::string_view> distinct;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) return failure(ErrorCode::kInvalidInput, "the name of attribute {} is empty", i);
    if (!distinct.insert(names[i]).second) {
      return failure(ErrorCode::kInvalidInput, "the name {} is given to two attributes", in_quotes(names[i]));
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!name(static_cast<Attribute>(i)).empty() && names[i] != names_[i]) {
      return failure(ErrorCode::kMismatch, "attribute {} cannot be named {}: it is {} in this model", i,
                     in_quotes(names[i]), in_quotes(names_[i]));
    }
    if (const auto known = find(names[i]); known && *known != i) {
      return failure(ErrorCode::kMismatch,
                     "attribute {} cannot be named {}: that is attribute {} in this model", i,
                     in_quotes(names[i]), *known);
    }
  }
  if (!open_) return {};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name(static_cast<Attribute>(i)).empty()) add(i, names[i]);
  if (names.size() > fixed_) fixed_ = names.size();
  if (stays) keep();
  return {};
}

std::string AttributeNames::callable_name(Attribute attribute) const {
  const std::string_view own = name(attribute);
  if (std::string shown = valid_utf8(own); !own.empty() && shown == own) return shown;
  std::string digits = fmt::format("{}", attribute);
  while (find(digits)) digits.insert(0, "0");
  return digits;
}

std::string_view AttributeNames::name(Attribute attribute) const {
  return attribute < names_.size() ? names_[attribute] : std::string_view();
}

void AttributeNames::save(State& state) const {
  categories_.save(state);
  std::size_t total = 0;
  for (const std::string_view name : names_) total += name.size();
  const auto text = state.put<std::uint8_t>("names/text", total);
  std::size_t at = 0;
  for (const std::string_view name : names_) {
    for (const char c : name) text[at++] = static_cast<std::uint8_t>(c);
  }
  const auto ends = state.put<std::uint64_t>("names/ends", names_.size());
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < names_.size(); ++i) ends[i] = end += names_[i].size();
  const std::uint64_t limits[] = {fixed_, numbers_.end};
  state.put_copy<std::uint64_t>("names/limits", limits);
  const std::uint64_t numbers[] = {numbers_.begin, numbers_.end};
  state.put_copy<std::uint64_t>("names/numbers", numbers);
}

Status AttributeNames::restore(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto text, state.get<std::uint8_t>("names/text"));
  GLIMPSE_TRY_ASSIGN(const auto ends, state.get<std::uint64_t>("names/ends"));
  GLIMPSE_TRY_ASSIGN(const auto limits, state.get<std::uint64_t>("names/limits", 2));
  if (ends.size() > dimension_) {
    return failure(ErrorCode::kMismatch, "the state has {} attribute names; this model has dimension {}",
                   ends.size(), dimension_);
  }
  AttributeNames restored(dimension_);
  restored.fixed_ = limits[0];
  // The first builds gave names only above the numbers that they knew of.
  restored.numbers_ = {0, limits[1]};
  if (knows_numbers(state)) {
    GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<std::uint64_t>("names/numbers", 2));
    restored.numbers_ = {numbers[0], numbers[1]};
  }
  if (restored.fixed_ > ends.size() || restored.numbers_.begin > restored.numbers_.end ||
      restored.numbers_.end > dimension_) {
    return failure(ErrorCode::kCorrupt,
                   "names/limits and names/numbers: {} names are fixed and numbers used from {} to before "
                   "{}, of {} attributes, {} of them "
                   "with names: out of range",
                   restored.fixed_, restored.numbers_.begin, restored.numbers_.end, dimension_, ends.size());
  }
  const std::string_view all(reinterpret_cast<const char*>(text.data()), text.size());
  std::uint64_t begin = 0;
  std::size_t index = 0;
  for (const std::uint64_t end : ends) {
    if (end < begin || end > all.size()) {
      return failure(ErrorCode::kCorrupt, "the array 'names/ends' does not fit 'names/text' of {} bytes",
                     all.size());
    }
    const std::string_view name = all.substr(begin, end - begin);
    if (restored.find(name))
      return failure(ErrorCode::kCorrupt, "names/text holds the name {} twice", in_quotes(name));
    if (!name.empty()) restored.add(index, name);
    ++index;
    begin = end;
  }
  if (begin != all.size()) {
    return failure(ErrorCode::kCorrupt, "the array 'names/text' has {} bytes, not {}", all.size(), begin);
  }
  GLIMPSE_TRY(categories_.restore(state, dimension_));
  restored.categories_ = std::move(categories_);
  restored.keep();
  *this = std::move(restored);
  return {};
}

}  // namespace glimpse
