#include "data/attribute_names.h"

#include <span>
#include <unordered_set>

#include "data/text.h"

namespace glimpse {

AttributeNames::AttributeNames(std::size_t dimension) : dimension_(dimension) {}

std::optional<Attribute> AttributeNames::find(std::string_view name) const {
  const auto found = indices_.find(name);
  if (found == indices_.end()) return std::nullopt;
  return found->second;
}

Result<Attribute> AttributeNames::find_or_add(std::string_view name) {
  if (const auto found = indices_.find(name); found != indices_.end()) return found->second;
  if (names_.size() >= dimension_) {
    return failure(ErrorCode::kInvalidInput, "no index is free for the new attribute {}: all {} have names",
                   quoted(name), dimension_);
  }
  add(name);
  return static_cast<Attribute>(names_.size() - 1);
}

void AttributeNames::add(std::string_view name) {
  const auto [place, is_new] = indices_.emplace(std::string(name), static_cast<Attribute>(names_.size()));
  if (is_new) names_.push_back(place->first);
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
  for (std::size_t i = 0; i < names.size() && i < names_.size(); ++i) {
    if (names[i] != names_[i]) {
      return failure(ErrorCode::kMismatch, "attribute {} cannot be named {}: it is {} in this model", i,
                     quoted(names[i]), quoted(names_[i]));
    }
  }
  // A name beyond the known ones cannot be one of them: those stand before it in `names`, and all are
  // distinct.
  for (std::size_t i = names_.size(); i < names.size(); ++i) add(names[i]);
  return {};
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
}

Status AttributeNames::restore(const State& state) {
  const auto text = state.get<std::uint8_t>("names/text");
  if (!text) return text.error();
  const auto ends = state.get<std::uint64_t>("names/ends");
  if (!ends) return ends.error();
  if (ends->size() > dimension_) {
    return failure(ErrorCode::kMismatch, "the state has {} attribute names; this model has dimension {}",
                   ends->size(), dimension_);
  }
  AttributeNames restored(dimension_);
  const std::string_view all(reinterpret_cast<const char*>(text->data()), text->size());
  std::uint64_t begin = 0;
  for (const std::uint64_t end : *ends) {
    if (end < begin || end > all.size()) {
      return failure(ErrorCode::kCorrupt, "the array 'names/ends' does not fit 'names/text' of {} bytes",
                     all.size());
    }
    const std::string_view name = all.substr(begin, end - begin);
    if (restored.find(name)) return failure(ErrorCode::kCorrupt, "the name {} is stored twice", quoted(name));
    restored.add(name);
    begin = end;
  }
  if (begin != all.size()) {
    return failure(ErrorCode::kCorrupt, "the array 'names/text' has {} bytes, not {}", all.size(), begin);
  }
  *this = std::move(restored);
  return {};
}

}  // namespace glimpse
