#include "daemon/predictions/continued_names.h"

#include <cstdint>

#include "data/text/text.h"

namespace glimpse {

namespace {

Error renamed(const AttributeNames& before, const AttributeNames& now, Attribute i) {
  return failure(ErrorCode::kMismatch, "its attribute {} is called {}, and now {}", i, quoted(before.name(i)),
                 now.name(i).empty() ? std::string("it has no name") : quoted(now.name(i)));
}

Status check_words(const AttributeNames& before, const AttributeNames& now) {
  const Categories& words = before.categories();
  for (const Attribute i : words.attributes()) {
    if (!now.categories().holds(i))
      return failure(ErrorCode::kMismatch, "its attribute {} holds categories, and now numbers",
                     quoted(before.callable_name(i)));
    for (std::uint32_t code = 0; code < words.codes(i); ++code)
      if (words.word(i, code) != now.categories().word(i, code))
        return failure(ErrorCode::kMismatch,
                       "the category {} of its attribute {} is number {}, now that is {}",
                       quoted(words.word(i, code)), quoted(before.callable_name(i)), code,
                       quoted(now.categories().word(i, code)));
  }
  return {};
}

Status check_label_words(const Categories& before, const Categories& now) {
  const auto& words = before.label_words();
  for (std::size_t k = 0; k < words.size(); ++k)
    if (k >= now.label_words().size() || words[k] != now.label_words()[k])
      return failure(ErrorCode::kMismatch, "its label {} is not number {} of the labels of now",
                     quoted(words[k]), k);
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
