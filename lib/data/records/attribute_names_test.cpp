#include "data/records/attribute_names.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <vector>

namespace attribute_names_test {

using namespace glimpse;

namespace {

State saved(const AttributeNames& names) {
  State state;
  state.begin();
  names.save(state);
  state.finish();
  return state;
}

bool is_same(const State& a, const State& b) {
  return std::equal(a.tensors().begin(), a.tensors().end(), b.tensors().begin(), b.tensors().end(),
                    [](const Tensor& x, const Tensor& y) { return x.name == y.name && x.bytes == y.bytes; });
}

}  // namespace

TEST_CASE("a new name gets the lowest index without one and keeps it") {
  AttributeNames names(3);
  CHECK(names.empty());
  CHECK(*names.find_or_add("age") == 0);
  CHECK(*names.find_or_add("height") == 1);
  CHECK(*names.find_or_add("age") == 0);
  CHECK(names.find("height") == Attribute{1});
  CHECK_FALSE(names.find("weight"));
  CHECK(names.name(1) == "height");
  CHECK(names.name(2).empty());
  CHECK(names.name(4000000000u).empty());
  CHECK(names.size() == 2);
}

TEST_CASE("an attribute is said by its name or its number") {
  AttributeNames names(12);
  CHECK(names.fix({"age", "10"}).has_value());
  CHECK(*names.resolve("age") == 0);
  CHECK(*names.resolve("10") == 1);  // a name first
  CHECK(*names.resolve("010") == 10);
  CHECK(*names.resolve("10", true) == 10);
  CHECK(names.callable_name(0) == "age");
  CHECK(names.callable_name(1) == "10");
  CHECK(names.callable_name(10) == "010");
  for (const char* text : {"1.5", "1e0", " 1", "-0", "+1", "1 ", "0x1"})
    CHECK(names.resolve(text).has_error());
  CHECK(names.callable_name(5) == "5");
  CHECK(*names.resolve("11") == 11);
  CHECK(names.resolve("12").error().message == "attribute 12 must be from 0 to 11");
  CHECK(names.resolve("height").error().message == "no attribute is called 'height'");
  CHECK(names.resolve("").has_error());
  CHECK(names.resolve("-1").has_error());
}

TEST_CASE("a new name that looks like a number is refused where attributes are in use by number") {
  AttributeNames named(6);
  for (const char* text : {"1e0", "+1", " 1", "1.0"}) CHECK(named.find_or_add(text).has_value());
  for (const bool promised : {false, true}) {
    AttributeNames names(6);
    if (promised)
      names.promise_numbers(std::vector<Attribute>{0});
    else
      CHECK(names.use_number(0).has_value());
    for (const char* text : {"1e0", "+1", " 1", "1.0", "-0", "0x1", "1,5", "1_0", "1L", "1:", "1.", "#1",
                             ".5", "NaN", "+inf", "-1"}) {
      CHECK(names.is_mistaken_number(text));
      CHECK(names.find_or_add(text).error().message.ends_with(
          "', and this model has attributes by number: a number is digits alone, as \"1\"; --attributes FILE "
          "gives names that look like numbers"));
    }
    CHECK(names.empty());
    CHECK(*names.find_or_add("a1") == 1);
    for (const char* text : {"x1", "_1", "2nd"}) CHECK(names.find_or_add(text).has_value());
  }
}

TEST_CASE("a header calls no attribute by the number of another once numbers are in use") {
  AttributeNames names(3);
  CHECK(names.check_header({"2", "0", "1"}).has_value());
  CHECK(names.use_all_numbers().has_value());
  CHECK(names.check_header({"0", "1.0", "2"}).has_value());
  CHECK(names.check_header({"b", "c", "a"}).has_value());
  CHECK(names.check_header({"2019", "0.5", "-1"}).has_value());  // no attribute has these numbers
  for (const std::vector<std::string>& header :
       std::vector<std::vector<std::string>>{{"2", "0", "1"}, {"1", "2", "3"}, {"a", "0.0", "b"}})
    CHECK(names.check_header(header).error().code == ErrorCode::kInvalidInput);
}

TEST_CASE("a new name is refused once every attribute has one") {
  AttributeNames names(1);
  CHECK(names.find_or_add("a").has_value());
  const auto refused = names.find_or_add("b");
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message ==
        "no index is free for the new attribute 'b': all 1 of this model have names; more need a larger "
        "--dimension");
  CHECK(*names.find_or_add("a") == 0);
}

TEST_CASE("a new name gets an index above those used as numbers, and its index is no number any more") {
  AttributeNames names(6);
  CHECK(names.use_number(2).has_value());
  CHECK(*names.find_or_add("foo") == 3);
  CHECK(names.use_number(1).has_value());
  const auto refused = names.use_number(3);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message ==
        "attribute 3 is what this model calls 'foo': call it by its name, or by either after a start with "
        "--attributes FILE");
  CHECK(names.use_number(5).has_value());

  AttributeNames restored(6);
  REQUIRE(restored.restore(saved(names)).has_value());
  CHECK(restored.find("foo") == Attribute{3});
  CHECK(restored.name(0).empty());
  CHECK_FALSE(restored.use_number(3).has_value());
  for (AttributeNames* each : {&names, &restored}) {
    CHECK(*each->find_or_add("bar") == 0);  // what is free at all; 4 counts as used
    const auto none = each->find_or_add("baz");
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().message ==
          "no index is free for the new attribute 'baz': of 6, those from 1 to 5 are in use by number, and "
          "others have names; name them with --attributes FILE");
  }
}

TEST_CASE("names take what is free below the numbers used, the lowest first") {
  AttributeNames names(5);
  CHECK(names.use_number(4).has_value());
  for (Attribute i = 0; i < 4; ++i) CHECK(*names.find_or_add(std::to_string(i) + "th") == i);
  CHECK_FALSE(names.find_or_add("fifth").has_value());
  CHECK(names.use_number(4).has_value());
  CHECK_FALSE(names.use_number(0).has_value());
}

TEST_CASE("what a record brought that is taken back leaves everything as it was") {
  AttributeNames names(8);
  CHECK(names.use_number(6).has_value());
  CHECK(*names.find_or_add("a") == 7);
  names.keep();
  const State before = saved(names);
  for (int i = 0; i < 3; ++i) {
    CHECK(*names.find_or_add("b") == 0);
    CHECK(names.use_number(4).has_value());
    CHECK(*names.find_or_add("c") == 1);
    CHECK(*names.find_or_add("a") == 7);
    CHECK(names.use_number(2).has_value());
    CHECK_FALSE(names.find_or_add("d").has_value());
    names.take_back();
    CHECK(is_same(saved(names), before));
    CHECK_FALSE(names.find("b"));
    CHECK(names.size() == 8);
  }
  for (Attribute i = 0; i < 6; ++i)
    CHECK(*names.find_or_add(std::string(1, static_cast<char>('p' + i))) == i);
  names.take_back();
  CHECK(is_same(saved(names), before));
}

TEST_CASE(
    "a record that says all attributes by number leaves none for names, and is refused where there are") {
  AttributeNames names(4);
  CHECK(names.use_all_numbers().has_value());
  CHECK_FALSE(names.find_or_add("a").has_value());
  names.take_back();
  CHECK(*names.find_or_add("a") == 0);
  CHECK(names.use_all_numbers().error().message ==
        "attribute 0 is what this model calls 'a': call it by its name, or by either after a start with "
        "--attributes FILE");
  REQUIRE(names.fix({"a", "b"}).has_value());
  CHECK(names.use_all_numbers().has_value());
  CHECK_FALSE(names.find_or_add("c").has_value());
  CHECK(*names.find_or_add("b") == 1);
  REQUIRE(names.fix({"a", "b", "c", "d"}).has_value());  // which says what they are
  CHECK(*names.find_or_add("c") == 2);
  CHECK(names.use_all_numbers().has_value());
}

TEST_CASE("attributes that were asked for without a name get none") {
  AttributeNames names(6);
  CHECK(*names.find_or_add("a") == 0);
  names.give_numbers(std::vector<Attribute>{0, 2, 3});
  names.take_back();
  CHECK(*names.find_or_add("b") == 4);
  CHECK(*names.find_or_add("c") == 5);
  CHECK(*names.find_or_add("d") == 1);
  CHECK_FALSE(names.find_or_add("e").has_value());
}

TEST_CASE("numbers that were promised get no name until they are released") {
  AttributeNames names(4);
  names.promise_numbers(std::vector<Attribute>{0, 2});
  CHECK(*names.find_or_add("a") == 3);
  CHECK_FALSE(names.find_or_add("b").has_value());
  names.release_numbers();
  CHECK(*names.find_or_add("b") == 0);
  CHECK(*names.find_or_add("c") == 1);
}

TEST_CASE("numbers of the first builds' states are those below their limit") {
  AttributeNames names(6);
  CHECK(names.use_number(1).has_value());
  CHECK(*names.find_or_add("a") == 2);
  const State whole = saved(names);
  CHECK(AttributeNames::knows_numbers(whole));
  State state;
  state.begin();
  state.put_copy<std::uint8_t>("names/text", *whole.get<std::uint8_t>("names/text"));
  for (const char* array : {"names/ends", "names/limits"})
    state.put_copy<std::uint64_t>(array, *whole.get<std::uint64_t>(array));
  state.finish();
  CHECK_FALSE(AttributeNames::knows_numbers(state));
  AttributeNames restored(6);
  REQUIRE(restored.restore(state).has_value());
  CHECK(*restored.find_or_add("b") == 3);
  CHECK(*restored.find_or_add("c") == 4);
  CHECK(*restored.find_or_add("d") == 5);
  CHECK_FALSE(restored.find_or_add("e").has_value());
}

TEST_CASE("limits that are out of range are no state") {
  for (const std::vector<std::uint64_t>& numbers :
       std::vector<std::vector<std::uint64_t>>{{3, 2}, {0, 7}, {1}, {8, 9}}) {
    State state;
    state.begin();
    AttributeNames(6).save(state);
    state.put_copy<std::uint64_t>("names/numbers", numbers);
    state.finish();
    AttributeNames names(6);
    CHECK(names.restore(state).error().code == ErrorCode::kCorrupt);
  }
  State state;
  state.begin();
  AttributeNames(6).save(state);
  state.put_copy<std::uint64_t>("names/limits", std::vector<std::uint64_t>{1, 0});
  state.finish();
  AttributeNames names(6);
  CHECK(names.restore(state).error().code == ErrorCode::kCorrupt);
}

TEST_CASE("attributes that were named beforehand may be called by number too") {
  AttributeNames names(4);
  REQUIRE(names.fix({"a", "b"}).has_value());
  CHECK(names.use_number(1).has_value());
  CHECK(*names.find_or_add("c") == 2);
  CHECK_FALSE(names.use_number(2).has_value());
  names.take_back();
  CHECK(names.size() == 2);
  CHECK_FALSE(names.find("c"));
  CHECK(names.use_number(2).has_value());
  CHECK(*names.find_or_add("d") == 3);
}

TEST_CASE("fixing names again is fine and may add to them") {
  AttributeNames names(3);
  CHECK(names.fix({"a", "b"}).has_value());
  CHECK(names.fix({"a", "b"}).has_value());
  CHECK(names.fix({"a"}).has_value());
  CHECK(names.size() == 2);
  CHECK(names.fix({"a", "b", "c"}).has_value());
  CHECK(names.find("c") == Attribute{2});
}

TEST_CASE("fixing names that contradict leaves everything as it was") {
  AttributeNames names(3);
  REQUIRE(names.fix({"a", "b"}).has_value());
  const auto other = names.fix({"a", "c", "b"});
  CHECK(other.error().code == ErrorCode::kMismatch);
  CHECK(other.error().message == "attribute 1 cannot be named 'c': it is 'b' in this model");
  CHECK(names.fix({"a", "b", "a"}).error().message == "the name 'a' is given to two attributes");
  CHECK(names.fix({"a", "b", ""}).error().message == "the name of attribute 2 is empty");
  CHECK(names.fix({"a", "b", "c", "d"}).error().message ==
        "4 names are too many: this model has dimension 3");
  CHECK(names.size() == 2);
}

TEST_CASE("names survive a save and a restore") {
  AttributeNames names(300);
  for (int i = 0; i < 200; ++i)
    REQUIRE(names.find_or_add("name number " + std::to_string(i * 7)).has_value());
  State state;
  state.begin();
  names.save(state);
  state.finish();

  AttributeNames restored(300);
  REQUIRE(restored.find_or_add("forgotten").has_value());
  REQUIRE(restored.restore(state).has_value());
  CHECK(restored.size() == 200);
  CHECK_FALSE(restored.find("forgotten"));
  for (Attribute a = 0; a < 200; ++a) {
    CHECK(restored.name(a) == names.name(a));
    CHECK(restored.find(names.name(a)) == a);
  }
  CHECK(*restored.find_or_add("new") == 200);

  AttributeNames small(100);
  CHECK(small.restore(state).error().code == ErrorCode::kMismatch);
  CHECK(small.empty());
}

TEST_CASE("a state that is no list of names is refused") {
  AttributeNames names(5);
  State state;
  state.begin();
  const std::vector<std::uint8_t> text{'a', 'b', 'a'};
  state.put_copy<std::uint8_t>("names/text", text);
  state.finish();
  CHECK(names.restore(state).error().code == ErrorCode::kCorrupt);
  const std::vector<std::vector<std::uint64_t>> wrong{{1, 2}, {1, 2, 4}, {2, 1, 3}, {1, 2, 3}};
  for (const auto& ends : wrong) {
    state.begin();
    state.put_copy<std::uint8_t>("names/text", text);
    state.put_copy<std::uint64_t>("names/ends", ends);
    state.finish();
    CHECK(names.restore(state).error().code == ErrorCode::kCorrupt);
    CHECK(names.empty());
  }
}
TEST_CASE("names that may not be given are only compared") {
  AttributeNames names(3);
  CHECK(names.set_open(false));
  CHECK(names.fix({"a", "b"}).has_value());
  CHECK(names.empty());
  CHECK(names.find_or_add("a").error().message == "no attribute is called 'a'");
  CHECK(names.use_number(2).has_value());
  CHECK(names.use_all_numbers().has_value());
  CHECK_FALSE(names.set_open(true));
  CHECK(*names.find_or_add("c") == 0);  // nothing counts as used
  names.take_back();
  CHECK(names.fix({"a", "b"}).has_value());
  CHECK(names.set_open(false));
  CHECK(names.fix({"a", "c"}).has_error());
  CHECK(names.find_or_add("b").value() == 1);
}

TEST_CASE(
    "a guess of an attribute's name is right for this name alone, of any length, until it is taken back") {
  AttributeNames names(9);
  const std::vector<std::string> all{"a",        "b",         "sixteen letters!", "sixteen_letters!",
                                     "eight_12", "1eight_12", "ight_12"};
  for (const std::string& name : all) REQUIRE(names.find_or_add(name).has_value());
  const auto is_called = [&](Attribute a, std::string_view name) {
    const std::string longer = "before it: " + std::string(name);  // there are bytes before, or none
    const char* const end = longer.data() + longer.size();
    const std::uint64_t tail = AttributeNames::tail_of(longer.data(), end - name.size(), end);
    REQUIRE(tail == AttributeNames::tail_of(name.data(), name.data(), name.data() + name.size()));
    return names.is_called(a, name, tail);
  };
  for (Attribute a = 0; a < all.size(); ++a)
    for (std::size_t n = 0; n < all.size(); ++n) CHECK(is_called(a, all[n]) == (a == n));
  CHECK_FALSE(is_called(7, "a"));  // has no name
  CHECK_FALSE(is_called(1000, "a"));
  names.take_back();
  CHECK_FALSE(is_called(0, "a"));
  REQUIRE(*names.find_or_add("c") == 0);
  CHECK(is_called(0, "c"));
  CHECK_FALSE(is_called(0, "a"));
}

}  // namespace attribute_names_test
