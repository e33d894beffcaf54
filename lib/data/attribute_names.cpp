#include "data/attribute_names.h"

#include <span>
#include <unordered_set>

#include "data/number.h"
#include "data/text.h"

namespace glimpse {

AttributeNames::AttributeNames(std::size_t dimension) : dimension_(dimension) {}

std::optional<Attribute> AttributeNames::find(std::string_view name) const {
  const auto found = indices_.find(name);
  if (found == indices_.end()) return std::nullopt;
  return found->second;
}

Result<Attribute> AttributeNames::resolve(std::string_view text) const {
  std::uint64_t index = 0;
  if (!read_index(text, index)) {
    if (const auto named = find(text)) return *named;
    return failure(ErrorCode::kInvalidInput, "no attribute is called {}", quoted(text));
  }
  if (index >= dimension_)
    return failure(ErrorCode::kInvalidInput, "attribute {} must be from 0 to {}", text, dimension_ - 1);
  return static_cast<Attribute>(index);
}

Result<Attribute> AttributeNames::find_or_add(std::string_view name) {
  if (const auto found = indices_.find(name); found != indices_.end()) return found->second;
  if (!open_) return failure(ErrorCode::kInvalidInput, "the attribute {} is not known here", quoted(name));
  const std::size_t free = names_.size() > numbers_end_ ? names_.size() : numbers_end_;
  if (free >= dimension_) {
    return failure(ErrorCode::kInvalidInput,
                   "no index is free for the new attribute {}: all {} have names or are used as numbers",
                   quoted(name), dimension_);
  }
  add(free, name);
  return static_cast<Attribute>(free);
}

void AttributeNames::add(std::size_t index, std::string_view name) {
  const auto [place, is_new] = indices_.emplace(std::string(name), static_cast<Attribute>(index));
  if (!is_new) return;
  if (index >= names_.size()) names_.resize(index + 1);
  names_[index] = place->first;
}

Error AttributeNames::number_is_named(Attribute index) {
  if (index >= numbers_end_) numbers_end_ = index + 1;
  return failure(
      ErrorCode::kInvalidInput,
      "attribute {} is what this stream calls {}: call it by its name, or name attributes beforehand", index,
      quoted(names_[index]));
}

void AttributeNames::forget_after(std::size_t size) {
  while (names_.size() > size) {
    if (const auto found = indices_.find(names_.back()); found != indices_.end()) indices_.erase(found);
    names_.pop_back();
  }
}

Status AttributeNames::fix(const std::vector<std::string>& names) {
  if (names.size() > dimension_) {
    return failure(ErrorCode::kInvalidInput, "{} names are too many: this model has dimension {}",
                   names.size(), dimension_);
  }
  std::unordered_set<std::string_view> distinct;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) return failure(ErrorCode::kInvalidInput, "the name of attribute {} is empty", i);
    if (!distinct.insert(names[i]).second) {
      return failure(ErrorCode::kInvalidInput, "the name {} is given to two attributes", quoted(names[i]));
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!name(static_cast<Attribute>(i)).empty() && names[i] != names_[i]) {
      return failure(ErrorCode::kMismatch, "attribute {} cannot be named {}: it is {} in this model", i,
                     quoted(names[i]), quoted(names_[i]));
    }
    if (const auto known = find(names[i]); known && *known != i) {
      return failure(ErrorCode::kMismatch,
                     "attribute {} cannot be named {}: that is attribute {} in this model", i,
                     quoted(names[i]), *known);
    }
  }
  if (!open_) return {};
  for (std::size_t i = 0; i < names.size(); ++i) add(i, names[i]);
  if (names.size() > fixed_) fixed_ = names.size();
  return {};
}

std::string AttributeNames::callable_name(Attribute attribute) const {
  const std::string_view own = name(attribute);
  std::uint64_t index = 0;
  return own.empty() || read_index(own, index) ? fmt::format("{}", attribute) : valid_utf8(own);
}

std::string_view AttributeNames::name(Attribute attribute) const {
  return attribute < names_.size() ? names_[attribute] : std::string_view();
}

void AttributeNames::save(State& state) const {
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
  const std::uint64_t limits[] = {fixed_, numbers_end_};
  state.put_copy<std::uint64_t>("names/limits", limits);
}

Status AttributeNames::restore(const State& state) {
  const auto text = state.get<std::uint8_t>("names/text");
  if (!text) return text.error();
  const auto ends = state.get<std::uint64_t>("names/ends");
  if (!ends) return ends.error();
  const auto limits = state.get<std::uint64_t>("names/limits", 2);
  if (!limits) return limits.error();
  if (ends->size() > dimension_) {
    return failure(ErrorCode::kMismatch, "the state has {} attribute names; this model has dimension {}",
                   ends->size(), dimension_);
  }
  AttributeNames restored(dimension_);
  const std::string_view all(reinterpret_cast<const char*>(text->data()), text->size());
  restored.fixed_ = (*limits)[0];
  restored.numbers_end_ = (*limits)[1];
  std::uint64_t begin = 0;
  std::size_t index = 0;
  for (const std::uint64_t end : *ends) {
    if (end < begin || end > all.size()) {
      return failure(ErrorCode::kCorrupt, "the array 'names/ends' does not fit 'names/text' of {} bytes",
                     all.size());
    }
    const std::string_view name = all.substr(begin, end - begin);
    if (restored.find(name)) return failure(ErrorCode::kCorrupt, "the name {} is stored twice", quoted(name));
    if (!name.empty()) restored.add(index, name);
    ++index;
    begin = end;
  }
  if (begin != all.size()) {
    return failure(ErrorCode::kCorrupt, "the array 'names/text' has {} bytes, not {}", all.size(), begin);
  }
  *this = std::move(restored);
  return {};
}

}  // namespace glimpse
