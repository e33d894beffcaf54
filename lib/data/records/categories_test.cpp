#include "data/records/categories.h"

#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "data/records/cell.h"
#include "data/text/text.h"

namespace glimpse::categories_test {
namespace {

double code(Categories& categories, Attribute attribute, std::string_view word, bool learns = true) {
  const auto result = categories.read(attribute, word, learns, "a");
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
  return *result;
}

TEST_CASE("words get codes in the order in which they come, each attribute its own") {
  Categories categories;
  CHECK(categories.empty());
  CHECK(code(categories, 3, "M") == 0);
  CHECK(code(categories, 3, "F") == 1);
  CHECK(code(categories, 3, "M") == 0);
  CHECK(code(categories, 1, "F") == 0);
  CHECK(code(categories, 3, "7.5") == 2);  // a number among words is one of them
  CHECK(categories.attributes() == std::vector<Attribute>{3, 1});
  CHECK(categories.codes(3) == 3);
  CHECK(categories.word(3, 1) == "F");
}

TEST_CASE("beyond the limit all are one other, and so are words of any length") {
  Categories categories;
  categories.set_limit(2);
  CHECK(code(categories, 0, "a") == 0);
  CHECK(code(categories, 0, "b") == 1);
  for (int n = 0; n < 10000; ++n) CHECK(code(categories, 0, "w" + std::to_string(n)) == 2);
  CHECK(categories.codes(0) == 3);
  CHECK(categories.word(0, 2) == "(other)");
  CHECK(code(categories, 0, "b") == 1);
  CHECK(code(categories, 1, std::string(300, 'x')) == 0);
  CHECK(categories.word(1, 0) == "(other)");
  CHECK(code(categories, 1, "(other)") == 1);  // a word of that spelling is another category
  CHECK(code(categories, 1, "a,\"b\", \xc3\xa4") == 2);
}

TEST_CASE("a question brings no category: what is not known is other, where there is one") {
  Categories categories;
  CHECK(std::isnan(code(categories, 0, "a", false)));
  CHECK(categories.empty());
  code(categories, 0, "a");
  CHECK(std::isnan(code(categories, 0, "b", false)));
  categories.set_limit(1);
  code(categories, 0, "b");
  CHECK(code(categories, 0, "c", false) == 1);
}

TEST_CASE("what a record brought goes with it, unless it was learned from") {
  Categories categories;
  code(categories, 2, "a");
  CHECK(*categories.read_label("yes", true) == 0);
  categories.keep();
  code(categories, 2, "b");
  code(categories, 4, "x");
  code(categories, 4, std::string(300, 'x'));
  CHECK(*categories.read_label("no", true) == 1);
  categories.take_back();
  CHECK(categories.codes(2) == 1);
  CHECK_FALSE(categories.holds(4));
  CHECK(categories.label_words().size() == 1);
  CHECK(code(categories, 4, "y") == 0);
  CHECK(code(categories, 2, "c") == 1);
}

TEST_CASE("an attribute of numbers stays one, and says how to mend it") {
  Categories categories;
  categories.set_learned({[](Attribute i) { return i == 1; }, [] { return true; }});
  CHECK(code(categories, 0, "a") == 0);
  const auto refused = categories.read(1, "old", true, "age");
  REQUIRE(refused.has_error());
  CHECK(refused.error().message ==
        "value 'old' is a word, and 'age' holds numbers: leave the field empty or write NA where it is "
        "missing, "
        "leave the column out with --ignore age, or begin with --categories age; an attribute that a record "
        "does not name may count as the number 0 there (--absent)");
  CHECK(categories.declare(1, "'age'").has_error());
  CHECK(categories.read_label("yes", true).error().message ==
        "label 'yes' is not a finite number, as those before were: --task classes takes numbers for names of "
        "classes as well");
}

TEST_CASE("learners of numbers alone refuse words in one sentence") {
  Categories categories;
  categories.set_refusal("--algorithm aerr learns from numbers alone");
  CHECK(categories.read(0, "M", true, "sex").error().message ==
        "'sex' holds words, as 'M': --algorithm aerr learns from numbers alone");
}

TEST_CASE("a label has as many words as it may, and what mends a further one is told") {
  Categories categories;
  categories.set_label_limit(2, "raise --max-classes 2");
  CHECK(*categories.read_label("<=50K", true) == 0);
  CHECK(*categories.read_label(">50K", true) == 1);
  CHECK(*categories.read_label("<=50K", true) == 0);
  CHECK(categories.read_label("1", true).error().message ==
        "label '1' is one class too many: there are 2 (<=50K, >50K); raise --max-classes 2");
  CHECK(*categories.read_label("1", false) == 2);  // where nothing is learned it is just another one
  categories.set_label_limit(3, "");
  CHECK(*categories.read_label("1", true) == 2);
}

TEST_CASE("numbers are the words that they are written as, where labels are words") {
  Categories categories;
  CHECK(*categories.read_label(7.5, true) == 7.5);
  REQUIRE(categories.declare_label_words({"3", "no"}).has_value());
  CHECK(*categories.read_label(3.0, true) == 0);
  CHECK(*categories.read_label("3.0", true) == 0);
  CHECK(*categories.read_label("+3", true) == 0);
  CHECK(*categories.read_label("no", true) == 1);
  CHECK(*categories.read_label(-0.0, false) == 2);
  categories.set_label_limit(4, "");
  CHECK(*categories.read_label(-0.0, true) == 2);
  CHECK(*categories.read_label("0", true) == 2);
  CHECK(categories.label_words() == std::vector<std::string>{"3", "no", "0"});
}

TEST_CASE("classes are declared once, each another one, and as a state has them") {
  Categories categories;
  CHECK(categories.declare_label_words({"a", "a"}).error().message ==
        "'a': a class has a name of 1 to 255 bytes, and no other has it");
  Categories two;
  CHECK(two.declare_label_words({"a", "b", "c"}).error().message ==
        "label 'c' is one class too many: there are 2 (a, b)");
  Categories odd;
  CHECK(odd.declare_label_words({" a"}).has_error());
  CHECK(odd.declare_label_words({"a\x01"}).has_error());
  CHECK(odd.declare_label_words({"K\xe4se"}).has_error());
  CHECK(odd.declare_label_words({"1.0"}).error().message == "'1.0': of numbers 1.0 is the class 1");
  CHECK(odd.read_label("K\xe4se", true).error().message.find("is no UTF-8") != std::string::npos);
  Categories known;
  REQUIRE(known.declare_label_words({"a", "b"}).has_value());
  CHECK(known.declare_label_words({"a", "b"}).has_value());
  CHECK(known.declare_label_words({"b", "a"}).error().message ==
        "class 0 is 'a', as the checkpoint has it, and not 'b'");
}

TEST_CASE("what is not seen, and what stands for no number, is no name of a class") {
  // Line end, tab, NUL, DEL, C1, right-to-left override, first strong isolate, zero-width blank, byte order
  // mark, line separator, soft hyphen.
  for (const std::string& odd :
       std::vector<std::string>{"\n", "\t", std::string(1, '\0'), "\x01", "\x7f", "\xc2\x85", "\xe2\x80\xae",
                                "\xe2\x81\xa8", "\xe2\x80\x8b", "\xef\xbb\xbf", "\xe2\x80\xa8", "\xc2\xad"}) {
    CAPTURE(in_quotes(odd));
    for (const std::string& word : {"y" + odd, odd + "y", "y" + odd + "n"}) {
      Categories categories;
      CHECK(categories.read_label(word, true)
                .error()
                .message.find("has a control character or another that is not") != std::string::npos);
      CHECK_FALSE(categories.has_label_words());
      CHECK(categories.declare_label_words({word}).has_error());
    }
  }
  for (const char* word : {"nan", "NaN", "-nan", "inf", "-Inf", "+INFINITY"}) {
    CAPTURE(word);
    Categories categories;
    categories.declare_label();
    CHECK(categories.read_label(word, true).error().message.find("for no number: leave the label empty") !=
          std::string::npos);
    Categories meant;
    REQUIRE(meant.declare_label_words({"yes", word}).has_value());
    CHECK(*meant.read_label(word, true) == 1);
  }
  Categories known;
  for (const char* word :
       {"nancy", "info", "na\xc3\xafve", "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xb4\xd9\x88\xd8\xaf",
        "a\xc2\xa0"
        "b",
        "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac"}) {
    CAPTURE(word);
    known.set_label_limit(10, "");
    CHECK(known.read_label(word, true).has_value());
  }
}

TEST_CASE("a decimal number is a class like any other, also as the first label") {
  for (const char* const first : {"0.5", "-1.5", "1.25e3", "12.25"}) {
    CAPTURE(first);
    Categories categories;
    categories.declare_label();
    CHECK(*categories.read_label(first, true) == 0);
    CHECK(*categories.read_label(2.5, true) == 1);
    CHECK(*categories.read_label("2.50", true) == 1);
  }
  Categories odd;
  odd.declare_label();
  CHECK(odd.read_label("1,5", true).has_error());
  CHECK(odd.read_label("12:30", true).has_error());
}

TEST_CASE("words of labels from which nothing was learned are forgotten, and their codes are free") {
  Categories categories;
  CHECK(*categories.read_label("a", true) == 0);
  CHECK(*categories.read_label("b", true) == 1);
  categories.keep();
  categories.forget_label_words(1);
  CHECK(categories.label_words() == std::vector<std::string>{"a"});
  CHECK(*categories.read_label("c", true) == 1);
  categories.take_back();
  CHECK(categories.label_words() == std::vector<std::string>{"a"});
}

TEST_CASE("a class that an example that was not learned from brought goes with it") {
  Categories categories;
  CHECK(*categories.read_label("a", true) == 0);
  categories.keep();
  CHECK(*categories.read_label("b", true) == 1);
  categories.take_back();
  CHECK(*categories.read_label("c", true) == 1);
  CHECK(categories.label_words() == std::vector<std::string>{"a", "c"});
}

TEST_CASE("dates and times of day are no categories") {
  for (const char* date : {"2011-01-01", "2011-1-1", "1/2/2011", "31.12.1999", "01/02/11", "2011-01-01 12:30",
                           "2011-01-01T12:30:00Z", "12:30", "9:05:59", "1 Jan 2011", "1-JAN-11",
                           "Jan 31, 2011", "January 1 2011", "1:30PM", "1:30 pm"})
    CHECK_MESSAGE(looks_like_date(date), date);
  for (const char* word : {"25-34", "1-2-3-4", "a-b-c", "1.2.3.4", "2011", "10:30am-late", "x2011-01-01",
                           "3/4", "Mar", "March 5", "May 1 x", "1 March St", "2-door", "5th", "12345-01-01"})
    CHECK_MESSAGE(!looks_like_date(word), word);
  Categories categories;
  CHECK(categories.read(0, "2011-01-01", true, "day").error().message ==
        "'day' holds dates or times, as '2011-01-01', which are neither numbers nor categories: leave it out "
        "with "
        "--ignore day");
  code(categories, 0, "spring");
  CHECK(code(categories, 0, "2011-01-01") == 1);  // among words it is one
}

TEST_CASE("numbers that are written in another way are no categories, unless somebody says so") {
  for (const char* odd :
       {"1,5",     "1.5",          "-1,234.5",   "1.234,5", "1,234,567", "1'000'000",
        "'5'",     "=\"5\"",       "12%",        "3.5 %",   "$5",        "\xe2\x82\xac 12,50",
        "1 234",   "-1 234 567.5", "1\u00a0234", "1_000",   "12,34,567", "5 \xe2\x82\xac",
        "(1,234)", "1,234-",       "\u22125",    "0x1f"})
    CHECK_MESSAGE(looks_like_odd_number(odd), odd);
  for (const char* word : {"1.2.3.4", "25-34", "", "x", "%", "$", "1,", ",5", "1,2,3", "v1.5", "5th", "12",
                           "12 34", "123 45", "5-", "(5)", "0xyz", "1 2345"})
    CHECK_MESSAGE(!looks_like_odd_number(word), word);
  Categories categories;
  CHECK(categories.read(0, "1,5", true, "price").error().message ==
        "'price' holds numbers that are written in another way, as '1,5': 1234.5 is one, and 1234,5 with "
        "--decimal-comma; --categories price takes them as words, --ignore price leaves them out");
  REQUIRE(categories.declare(0, "price").has_value());
  CHECK(code(categories, 0, "1,5") == 0);
  CHECK(categories.read_label("1,234", true).error().message ==
        "label '1,234' is a number that is written in another way: 1234.5 is one, and in tables 1234,5 with "
        "--decimal-comma");
  CHECK(categories.read(1, std::string_view("5\0", 2), true, "a").error().message ==
        "value '5\\x00' of 'a' has control characters: it is damaged, and neither a number nor a category");
  CHECK(categories.read_label(std::string_view("5\0", 2), true).has_error());
  CHECK(!categories.has_label_words());
}

TEST_CASE("words come back from a state, and nothing is put where there are none") {
  State state;
  state.begin();
  Categories categories;
  categories.save(state);
  CHECK(state.tensors().empty());
  categories.set_limit(2);
  for (const char* word : {"a", "b", "c", "\xc3\xa4"}) code(categories, 5, word);
  code(categories, 0, "x,\"y\"");
  CHECK(*categories.read_label("yes", true) == 0);
  categories.save(state);
  state.finish();
  Categories restored;
  REQUIRE(restored.restore(state, 6).has_value());
  CHECK(restored.attributes() == categories.attributes());
  CHECK(restored.word(5, 1) == "b");
  CHECK(restored.find(5, "c") == 2);
  CHECK(restored.word(0, 0) == "x,\"y\"");
  CHECK(restored.label_words() == categories.label_words());
  CHECK(Categories().restore(state, 5).has_error());
}

// The odd values collected since the last call, as "attribute:word".
std::vector<std::string> odd_of(Categories& categories) {
  std::vector<std::string> odd;
  for (const auto& value : categories.take_odd())
    odd.push_back(std::to_string(value.attribute) + ':' + value.word);
  return odd;
}

TEST_CASE("an attribute that is declared one of numbers takes no word, learned from or not") {
  for (const bool learns : {true, false})
    for (const Attribute attribute : {0U, 3U, 7U}) {
      CAPTURE(attribute);
      Categories categories;
      categories.declare_number(attribute);
      CHECK(categories.is_number(attribute));
      CHECK_FALSE(categories.is_number(attribute + 1));
      CHECK(categories.read(attribute, "old", learns, "age")
                .error()
                .message.starts_with("value 'old' is a word, and 'age' holds numbers: "));
      CHECK(categories.empty());
      CHECK(categories.take_odd().empty());
      CHECK(code(categories, attribute + 1, "old") == 0);
    }
}

TEST_CASE("among declared numbers marks for a missing value are missing, and true and false are 1 and 0") {
  Categories categories;
  categories.declare_number(2);
  for (const char* mark : {"nan", "NaN", "NAN", "None", "none", "NaT", "\\N", "--", "n.a.", "N.A.", "#NA"}) {
    CAPTURE(mark);
    CHECK(is_missing_number(mark));
    CHECK(std::isnan(code(categories, 2, mark)));
  }
  for (const char* yes : {"true", "True", "TRUE"}) CHECK(code(categories, 2, yes) == 1);
  for (const char* no : {"false", "False", "FALSE"}) CHECK(code(categories, 2, no) == 0);
  for (const char* word : {"tRUE", "yes", "T", "nAn", "---", "\\n", "nil", "none of them", ""}) {
    CAPTURE(word);
    CHECK_FALSE(is_missing_number(word));
    CHECK_FALSE(truth_value(word));
  }
  CHECK(categories.read(2, "nil", true, "a").has_error());
  // Of an attribute of which nothing is said they are words.
  CHECK(code(categories, 1, "None") == 0);
  CHECK(code(categories, 1, "true") == 1);
}

TEST_CASE("odd values among numbers are missing and collected where they may be, and are errors elsewhere") {
  Categories categories;
  categories.declare_number(1);
  CHECK_FALSE(categories.takes_odd(1));
  CHECK_FALSE(categories.set_takes_odd(true));
  CHECK(categories.takes_odd(1));
  CHECK_FALSE(categories.takes_odd(0));
  for (const char* word : {"<5", "abc", "2026-01-01", "1,5", "12%"})
    CHECK(std::isnan(code(categories, 1, word, false)));
  CHECK(std::isnan(code(categories, 1, "None")));  // is no odd one
  CHECK(code(categories, 1, "true") == 1);
  CHECK(odd_of(categories) == std::vector<std::string>{"1:<5", "1:abc", "1:2026-01-01", "1:1,5", "1:12%"});
  CHECK(odd_of(categories).empty());
  CHECK(std::isnan(code(categories, 1, std::string(300, 'x'))));
  CHECK(odd_of(categories) == std::vector<std::string>{"1:" + std::string(Categories::kLongest, 'x')});
  CHECK(categories.empty());
  CHECK(categories.set_takes_odd(false));
  CHECK(categories.read(1, "abc", true, "a").has_error());
  CHECK(odd_of(categories).empty());
}

TEST_CASE("an attribute that was learned from as a number takes odd values as one that was declared does") {
  Categories categories;
  categories.set_learned({[](Attribute i) { return i == 1; }, [] { return true; }});
  CHECK_FALSE(categories.takes_odd(1));
  categories.set_takes_odd(true);
  CHECK(categories.takes_odd(1));
  CHECK(std::isnan(code(categories, 1, "abc")));
  CHECK(std::isnan(code(categories, 1, "None")));
  CHECK(code(categories, 1, "false") == 0);
  CHECK(odd_of(categories) == std::vector<std::string>{"1:abc"});
  CHECK(code(categories, 0, "abc") == 0);
}

TEST_CASE("words win over numbers, whichever is declared first") {
  Categories words_first;
  REQUIRE(words_first.declare(1, "zip").has_value());
  words_first.declare_number(1);
  Categories numbers_first;
  numbers_first.declare_number(1);
  REQUIRE(numbers_first.declare(1, "zip").has_value());
  for (Categories* const categories : {&words_first, &numbers_first}) {
    categories->set_takes_odd(true);
    CHECK_FALSE(categories->is_number(1));
    CHECK_FALSE(categories->takes_odd(1));
    CHECK(code(*categories, 1, "8001") == 0);
    CHECK(code(*categories, 1, "None") == 1);
    CHECK(code(*categories, 1, "true") == 2);
    CHECK(categories->take_odd().empty());
  }
}

TEST_CASE("a label that is declared a number is no class, unless labels are words") {
  Categories categories;
  CHECK_FALSE(categories.is_label_number());
  categories.declare_label_number();
  CHECK(categories.is_label_number());
  CHECK(*categories.read_label(2.5, true) == 2.5);
  for (const bool learns : {true, false})
    CHECK(categories.read_label("yes", learns)
              .error()
              .message.starts_with("label 'yes' is not a finite number, as those before were"));
  CHECK_FALSE(categories.has_label_words());
  Categories words;
  words.declare_label();
  words.declare_label_number();
  CHECK_FALSE(words.is_label_number());
  CHECK(*words.read_label("yes", true) == 0);
}

TEST_CASE("what was declared a number comes back from a state, at the first place and at the last") {
  Categories categories;
  for (const Attribute i : {0U, 4U, 6U}) categories.declare_number(i);
  code(categories, 5, "red");
  categories.declare_label_number();
  State state;
  state.begin();
  categories.save(state);
  state.finish();
  Categories restored;
  restored.set_takes_odd(true);
  REQUIRE(restored.restore(state, 7).has_value());
  for (Attribute i = 0; i < 8; ++i) CHECK(restored.is_number(i) == (i == 0 || i == 4 || i == 6));
  CHECK(restored.holds(5));
  CHECK(restored.is_label_number());
  CHECK(restored.takes_odd(6));
  CHECK(std::isnan(code(restored, 6, "x")));
  CHECK(odd_of(restored) == std::vector<std::string>{"6:x"});
  // Of a state that cannot be nothing is taken.
  Categories small;
  CHECK(small.restore(state, 6).error().message == "inputs.numbers holds 6, of 6 attributes");
  CHECK_FALSE(small.is_number(0));
  // A state without numbers takes back what was declared before.
  State none;
  none.begin();
  Categories().save(none);
  none.finish();
  REQUIRE(restored.restore(none, 7).has_value());
  CHECK_FALSE(restored.is_number(0));
  CHECK_FALSE(restored.is_label_number());
}

TEST_CASE("a state in which an attribute is both words and a number is refused") {
  State state;
  state.begin();
  Categories words;
  code(words, 2, "red");
  words.save(state);
  state.put<std::uint32_t>("inputs.numbers", 1)[0] = 2;
  state.finish();
  Categories restored;
  CHECK(restored.restore(state, 5).error().code == ErrorCode::kCorrupt);
  CHECK(restored.empty());
}

}  // namespace
}  // namespace glimpse::categories_test
