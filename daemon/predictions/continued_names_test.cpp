#include <doctest/doctest.h>
#include <string>

#include "daemon/predictions/words.h"

namespace continued_names_test {

using namespace glimpse;

namespace {

AttributeNames of(std::initializer_list<const char*> names) {
  AttributeNames made(4);
  for (const char* name : names) REQUIRE(made.find_or_add(name).has_value());
  made.keep();
  return made;
}

void hold_words(AttributeNames& names, std::initializer_list<const char*> words) {
  REQUIRE(names.categories().declare(0, "first").has_value());
  for (const char* word : words) names.categories().find_or_add(0, word);
  names.keep();
}

}  // namespace

TEST_CASE("names go on where each stays in its place, and new ones follow") {
  CHECK(check_continued(of({}), of({"a"})).has_value());
  CHECK(check_continued(of({"a", "b"}), of({"a", "b", "c"})).has_value());
  CHECK(check_continued(of({"a", "b"}), of({"b", "a"})).error().message ==
        "its attribute 0 is called 'a', and now 'b'");
  CHECK(check_continued(of({"a", "b"}), of({"a"})).error().code == ErrorCode::kMismatch);
}

TEST_CASE("categories go on where each word keeps its code, and those of labels as well") {
  AttributeNames before = of({"a"});
  AttributeNames now = of({"a"});
  CHECK(check_continued(before, now).has_value());
  hold_words(now, {"M", "F"});
  CHECK(check_continued(before, now).has_value());
  hold_words(before, {"M"});
  CHECK(check_continued(before, now).has_value());
  CHECK(check_continued(now, before).error().message ==
        "the category 'F' of its attribute 'a' is number 1, now that is ''");
  CHECK(check_continued(now, of({"a"})).error().message ==
        "its attribute 'a' holds categories, and now numbers");
  AttributeNames labelled = of({"a"});
  REQUIRE(labelled.categories().read_label("yes", true).has_value());
  labelled.keep();
  CHECK(check_continued(of({"a"}), labelled).has_value());
  CHECK(check_continued(labelled, of({"a"})).error().message ==
        "its label 'yes' is not number 0 of the labels of now");
}

}  // namespace continued_names_test
