#include "merging/same_numbers.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/text/text.h"

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
  if (i < named.names.fixed() || !numbered.learner->has_seen(i)) return {};
  return failure(ErrorCode::kMismatch,
                 "attribute {} is called {} in one learner and has only its number in the other: they cannot "
                 "be merged",
                 i, quoted(named.names.name(i)));
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
                     *own, quoted(name));
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
      if (const Status status = ours.declare(own, quoted(into.names.callable_name(own))); !status)
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
                 quoted(theirs.label_words()[0]));
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

}  // namespace glimpse
