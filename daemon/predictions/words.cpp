#include "daemon/predictions/words.h"

#include <fmt/format.h>

#include "data/text/text.h"

namespace glimpse {

void Words::follow(AttributeNames& names, const Learner& learner) {
  names.categories().set_learned(
      {[&learner](Attribute i) { return !learner.features().is_category(i) && learner.has_seen(i); },
       [&learner] { return !learner.labels().empty(); }});
}

void Words::connect(AttributeNames& names, const Learner& learner) {
  follow(names, learner);
  if (learner.learns_categories()) return;
  if (learner.options().products > 0)
    return names.categories().set_refusal(
        "--products are of numbers alone: leave --products out, or the attribute with --ignore");
  names.categories().set_refusal(fmt::format(
      "--algorithm {} learns from numbers alone: take --algorithm pairwise, or leave it out with --ignore",
      learner.options().algorithm));
}

void Words::note_restored(const AttributeNames& names) {
  attributes_ = 0;
  label_words_ = names.categories().label_words().size();
}

void Words::tell_new(const AttributeNames& names, Learner& learner) {
  const auto& attributes = names.categories().attributes();
  for (; attributes_ < attributes.size(); ++attributes_) {
    const Attribute i = attributes[attributes_];
    if (learner.features().is_category(i)) continue;
    learner.make_category(i);
    if (tell_) tell_(fmt::format("attribute {} holds categories", quoted(names.callable_name(i))));
  }
  const auto& words = names.categories().label_words();
  label_words_ = words.size();
  if (tell_ && words.size() == 2)
    tell_(fmt::format("label: {} is 0, {} is 1", quoted(words[0]), quoted(words[1])));
}

Status declare_words(const KnownWords& known, AttributeNames& names) {
  Categories& categories = names.categories();
  categories.set_limit(known.limit);
  if (known.has_label_words) categories.declare_label();
  for (const Attribute i : known.attributes)
    if (const Status status = categories.declare(i, "attribute " + quoted(names.callable_name(i))); !status)
      return failure(ErrorCode::kInvalidOption, "{}", status.error().message);
  for (const std::string& text : known.named) {
    const auto attribute = names.resolve(text);
    Status status = attribute ? categories.declare(*attribute, quoted(text)) : Status(attribute.error());
    if (!status)
      return failure(ErrorCode::kInvalidOption, "--categories {}: {}", text, status.error().message);
  }
  return {};
}

}  // namespace glimpse
