#include "daemon/predictions/words.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "base/date_parts.h"
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

Status Words::set_classes(const ClassOptions& options, AttributeNames& names, const Learner& learner) {
  constexpr std::size_t kTwo = 2;
  task_ = options.are_wanted() ? Task::kClasses : options.task;
  const bool are_many = learner.learns_classes() && task_ != Task::kRegression;
  const std::size_t most = are_many ? options.most : kTwo;
  std::string mend = fmt::format("--max-classes allows {}", most);
  if (task_ == Task::kRegression)
    mend = "with --task regression two words are 0 and 1, and there are no others";
  else if (!learner.learns_classes())
    mend = learner.options().products > 0
               ? "with --products there are two classes; leave that out for more"
               : fmt::format("--algorithm {} learns two classes; take --algorithm pairwise for more",
                             learner.options().algorithm);
  const bool has_effect = are_many || options.most == ClassOptions::kUsualMost || options.most == kTwo;
  if (!has_effect && task_ != Task::kRegression)
    return failure(ErrorCode::kInvalidOption, "--max-classes {}: has no effect: {}", options.most, mend);
  if (options.names.size() > most)
    return failure(ErrorCode::kInvalidOption, "--classes: has {} classes: {}", options.names.size(), mend);
  names.categories().set_label_limit(most, std::move(mend));
  return {};
}

Status Words::note_restored(AttributeNames& names, const Learner& learner) {
  Categories& categories = names.categories();
  known_ = 0;
  known_dates_ = 0;
  told_ = categories.attributes().size();
  // What open plans alone wait with is not learned: begin() makes it known as if it came now.
  const bool is_new = learner.labels().empty();
  label_words_ = is_new ? learner.classes().size() : categories.label_words().size();
  if (is_new && learner.is_classifier()) categories.declare_label();
  for (const Attribute i : categories.attributes())
    if (learner.features().is_category(i) && categories.codes(i) == 0)
      GLIMPSE_TRY(categories.declare(i, names.callable_name(i)));
  if (learner.is_classifier() && task_ == Task::kRegression)
    return failure(ErrorCode::kMismatch,
                   "the checkpoint is of classes, but this start has --task regression");
  if (learner.is_classifier() || is_new) return {};
  if (task_ == Task::kClasses)
    return failure(ErrorCode::kMismatch,
                   "the checkpoint is of a regression, but this start asks for classes (--task, --classes)");
  if (task_ == Task::kRegression || !categories.has_label_words()) return {};
  task_ = Task::kRegression;
  categories.set_label_limit(2, "the checkpoint is of a regression, where two words are 0 and 1");
  return {};
}

void Words::note_declared(AttributeNames& names, Learner& learner) {
  const Categories& categories = names.categories();
  for (const Attribute i : categories.declared())
    if (!learner.features().is_category(i)) learner.make_category(i);
  known_dates_ = 0;
  begin_dates(names, learner);
  settle(names, learner);
  if (categories.is_label_declared() && learner.labels().empty() && task_ != Task::kRegression)
    learner.make_classifier(categories.declared_label_words());
  if (learner.labels().empty()) label_words_ = learner.classes().size();  // as in note_restored()
}

// Where it was learned from as a number it stays one.
void Words::begin_dates(const AttributeNames& names, Learner& learner) {
  const auto& dates = names.categories().dates();
  for (; known_dates_ < dates.size(); ++known_dates_) {
    const auto& [i, parts, read] = dates[known_dates_];
    if (parts == 0 || learner.features().has_indicators(i) || learner.has_seen(i)) continue;
    if (learner.learns_dates()) {
      learner.make_date(i, parts);
    } else if (tell_ && told_dates_ <= known_dates_) {
      tell_(fmt::format(
          "attribute {} holds dates, of which --algorithm {} learns the number of days alone: "
          "--algorithm pairwise, without --products and --radius, also learns {}",
          in_quotes(names.callable_name(i)), learner.options().algorithm, describe_date_parts(parts)));
      told_dates_ = known_dates_ + 1;
    }
  }
}

void Words::begin_new(const AttributeNames& names, Learner& learner) {
  begin_dates(names, learner);
  const auto& attributes = names.categories().attributes();
  for (; known_ < attributes.size(); ++known_)
    if (!learner.features().is_category(attributes[known_])) learner.make_category(attributes[known_]);
  if (task_ != Task::kRegression && !learner.is_classifier() && !names.categories().label_words().empty() &&
      learner.labels().empty())
    learner.make_classifier(label_words_);  // the new ones may yet be forgotten
}

void Words::tell_new(const AttributeNames& names, const Learner& learner) {
  const auto& attributes = names.categories().attributes();
  for (; told_ < attributes.size(); ++told_)
    if (tell_)
      tell_(fmt::format("attribute {} holds categories", in_quotes(names.callable_name(attributes[told_]))));
  const auto& words = names.categories().label_words();
  const std::size_t known = std::exchange(label_words_, words.size());
  if (!tell_ || known == words.size()) return;
  if (!learner.is_classifier() && words.size() == 2)
    tell_(fmt::format("label: {} is 0, {} is 1", in_quotes(words[0]), in_quotes(words[1])));
  constexpr std::size_t kMostTold = 10;
  for (std::size_t c = known; learner.is_classifier() && c < std::min(words.size(), kMostTold); ++c)
    tell_(fmt::format("label: class {} is {}{}", c, in_quotes(words[c]),
                      c + 1 == kMostTold ? "; those that come now are in /v1/status and the model" : ""));
}

void Words::count_known(const AttributeNames& names) {
  known_ = std::min(known_, names.categories().attributes().size());
  known_dates_ = 0;
  told_ = std::min(told_, names.categories().attributes().size());
  label_words_ = std::min(label_words_, names.categories().label_words().size());
}

void Words::withdraw(AttributeNames& names, Learner& learner) {
  Categories& categories = names.categories();
  const auto& attributes = categories.attributes();
  for (std::size_t k = categories.kept_attributes(); k < attributes.size(); ++k)
    learner.forget_unlearned(attributes[k]);
  for (const Attribute i : names.added()) learner.forget_unlearned(i);
  names.take_back();
  count_known(names);
  forget_unlearned_label(categories, learner);
}

// Labels that nothing was learned of are no classes, but where they were declared to be.
void Words::forget_unlearned_label(const Categories& categories, Learner& learner) {
  if (!learner.is_classifier() || !learner.labels().empty() || categories.is_label_declared()) return;
  learner.forget_classifier();
  label_words_ = 0;
}

void Words::forget_unlearned(AttributeNames& names, Learner& learner, const PlanBook& plans) {
  Categories& categories = names.categories();
  const auto codes_in = [&plans](const auto& codes_of) {
    std::size_t codes = 0;
    plans.each_open([&](const OpenPlan& plan) {
      if (const double code = codes_of(plan); code >= 0)
        codes = std::max(codes, static_cast<std::size_t>(code) + 1);
    });
    return codes;
  };
  const auto& words = categories.label_words();
  forget_unlearned_label(categories, learner);
  const std::size_t learned = learner.is_classifier()    ? learner.classes().size()
                              : learner.labels().empty() ? 0
                                                         : words.size();
  if (learned < words.size() && categories.declared_label_words() < words.size()) {
    const std::size_t waiting = codes_in([](const OpenPlan& plan) { return plan.labels[0].value_or(-1); });
    categories.forget_label_words(std::max({learned, waiting, categories.declared_label_words()}));
    if (words.empty() && !learner.is_classifier()) categories.forget_label();
  }
  const std::vector<Attribute> attributes = categories.attributes();
  for (const Attribute i : attributes) {
    const bool is_known = learner.features().is_category(i);
    const std::size_t known = is_known ? learner.features().indicators(i).size() : 0;
    if (learner.features().is_full() || (is_known && known >= categories.codes(i))) continue;
    const std::size_t waiting = codes_in([i](const OpenPlan& plan) {
      const auto& planned = plan.plan.attributes;
      const auto at = std::ranges::find(planned, i);
      return at == planned.end() || plan.values.empty()
                 ? -1.0
                 : plan.values[static_cast<std::size_t>(at - planned.begin())];
    });
    categories.forget_words(i, std::max(known, waiting));
    const auto& declared = categories.declared();
    if (categories.codes(i) > 0 || std::ranges::find(declared, i) != declared.end() || learner.has_seen(i))
      continue;
    learner.forget_unlearned(i);
    categories.forget_attribute(i);
  }
  count_known(names);
  known_ = 0;
}

Status declare_words(const KnownWords& known, AttributeNames& names) {
  Categories& categories = names.categories();
  categories.set_limit(known.limit);
  if (known.has_label_words) categories.declare_label();
  if (known.classes != nullptr && known.classes->are_wanted()) categories.declare_label();
  if (known.classes != nullptr && !known.classes->names.empty())
    if (const Status status = categories.declare_label_words(known.classes->names); !status)
      return failure(ErrorCode::kInvalidOption, "--classes: {}", status.error().message);
  for (const Attribute i : known.attributes)
    if (const Status status = categories.declare(i, "attribute " + in_quotes(names.callable_name(i)));
        !status)
      return failure(ErrorCode::kInvalidOption, "{}", status.error().message);
  for (const Attribute i : known.numbers) categories.declare_number(i);
  if (known.has_label_numbers) categories.declare_label_number();
  for (const std::string& text : known.named) {
    const auto attribute = names.resolve(text);
    Status status = attribute ? categories.declare(*attribute, in_quotes(text)) : Status(attribute.error());
    if (!status)
      return failure(ErrorCode::kInvalidOption, "--categories {}: {}", text, status.error().message);
  }
  return {};
}

namespace {

Error renamed(const AttributeNames& before, const AttributeNames& now, Attribute i) {
  return failure(ErrorCode::kMismatch, "its attribute {} is called {}, and now {}", i,
                 in_quotes(before.name(i)),
                 now.name(i).empty() ? std::string("it has no name") : in_quotes(now.name(i)));
}

Status check_words(const AttributeNames& before, const AttributeNames& now) {
  const Categories& words = before.categories();
  for (const Attribute i : words.attributes()) {
    if (!now.categories().holds(i))
      return failure(ErrorCode::kMismatch, "its attribute {} holds categories, and now numbers",
                     in_quotes(before.callable_name(i)));
    for (std::uint32_t code = 0; code < words.codes(i); ++code)
      if (words.word(i, code) != now.categories().word(i, code))
        return failure(ErrorCode::kMismatch,
                       "the category {} of its attribute {} is number {}, now that is {}",
                       in_quotes(words.word(i, code)), in_quotes(before.callable_name(i)), code,
                       in_quotes(now.categories().word(i, code)));
  }
  return {};
}

Status check_label_words(const Categories& before, const Categories& now) {
  const auto& words = before.label_words();
  for (std::size_t k = 0; k < words.size(); ++k)
    if (k >= now.label_words().size() || words[k] != now.label_words()[k])
      return failure(ErrorCode::kMismatch, "its label {} is not number {} of the labels of now",
                     in_quotes(words[k]), k);
  return {};
}

}  // namespace

Status check_continued(const AttributeNames& before, const AttributeNames& now) {
  for (std::size_t k = 0; k < before.size(); ++k) {
    const auto i = static_cast<Attribute>(k);
    if (!before.name(i).empty() && before.name(i) != now.name(i)) return renamed(before, now, i);
  }
  GLIMPSE_TRY(check_words(before, now));
  return check_label_words(before.categories(), now.categories());
}

}  // namespace glimpse
