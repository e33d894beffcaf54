#include "data/formats/f32_reader.h"

#include "data/formats.h"
#include "data/reader_test_support.h"
#include "data/records/npy_header.h"

namespace f32_reader_test {

using namespace glimpse;

using Values = std::vector<double>;
using Entries = std::vector<Entry>;

TEST_CASE("a row of format f32 has a label and every attribute") { CHECK(f32_row_bytes(784) == 785 * 4); }

TEST_CASE("f32: attributes are read where they lie and NaN is missing") {
  AttributeNames names(3);
  F32Reader reader(3, names);
  const float missing = std::numeric_limits<float>::quiet_NaN();
  const std::string row = f32_row({-1, 0.5f, missing, 3});
  CHECK(row.size() == f32_row_bytes(3));
  const auto values = reveal(reader, row, {0, 1, 2});
  CHECK(reader.head().label == -1.0);
  CHECK(values[0] == 0.5);
  CHECK(same(values[1], kMissing));
  CHECK(values[2] == 3);
  CHECK(reveal(reader, row, {2}) == Values{3});
  CHECK(reveal_all(reader, row) == Entries{{0, 0.5}, {1, kMissing}, {2, 3}});
}

TEST_CASE("f32: a label of NaN asks for a prediction") {
  AttributeNames names(1);
  F32Reader reader(1, names);
  CHECK(reveal(reader, f32_row({std::numeric_limits<float>::quiet_NaN(), 5}), {0}) == Values{5});
  CHECK_FALSE(reader.head().label);
}

TEST_CASE("f32: text is no row of numbers, and what follows it is refused") {
  AttributeNames names(3);
  F32Reader reader(3, names);
  CHECK(open_error(reader, "1.5,2.5,3.5,4.5\n").starts_with("'1.5,2.5,3.5,4.5"));
  CHECK(open_error(reader, f32_row({1, 2, 3, 4})).starts_with("row refused, as the first was: "));
  F32Reader other(3, names);
  CHECK(other.open(f32_row({1, 2, 3, 4})).has_value());
  CHECK(other.open("1.5,2.5,3.5,4.5\n").has_value());
}

TEST_CASE("f32: infinities and rows of another length are errors") {
  AttributeNames names(3);
  F32Reader reader(3, names);
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(open_error(reader, f32_row({infinity, 0, 0, 0})) == "label 'inf' is not a finite number");
  CHECK(reveal_error(reader, f32_row({1, 0, -infinity, 0}), {1}) ==
        "value '-inf' of attribute 1 is not a finite number");
  CHECK(reveal_all_error(reader, f32_row({1, 0, -infinity, 0})) ==
        "value '-inf' of attribute 1 is not a finite number");
  CHECK(reveal(reader, f32_row({1, 0, -infinity, 7}), {2}) == Values{7});
  CHECK(open_error(reader, "1234567") == "row has 7 bytes; a row of dimension 3 has 16");
  CHECK(open_error(reader, "") == "row has 0 bytes; a row of dimension 3 has 16");
}

TEST_CASE("npy: an array that ends before its last row is an error at its end, also where all is validated") {
  AttributeNames names(3);
  F32Reader plain(3, names, F32Reader::Header::kNpy);
  ValidatingReader validating(std::make_unique<F32Reader>(3, names, F32Reader::Header::kNpy));
  for (ExampleReader* const reader : std::initializer_list<ExampleReader*>{&plain, &validating}) {
    CHECK(reader->check_end().has_value());
    CHECK(reader->open(npy_header(2, 4)).has_value());
    CHECK(reader->open(f32_row({1, 2, 3, 4})).has_value());
    CHECK(reader->check_end().error().message ==
          "the array ends after 1 of the 2 rows that its .npy header says: the others are missing");
    CHECK(reader->open(f32_row({1, 2, 3, 4})).has_value());
    CHECK(reader->check_end().has_value());
    CHECK_FALSE(reader->open(f32_row({1, 2, 3, 4})).has_value());
  }
  F32Reader bare(3, names);
  CHECK(bare.open(f32_row({1, 2, 3, 4})).has_value());
  CHECK(bare.check_end().has_value());
}

TEST_CASE("f32: labelled rows say all attributes by number") {
  AttributeNames names(2);
  F32Reader reader(2, names);
  CHECK(reveal_all(reader, f32_row({static_cast<float>(kMissing), 1, 2})).size() == 2);
  CHECK(*names.find_or_add("a") == 0);
  CHECK(
      reveal_error(reader, f32_row({1, 1, 2}), {0}).starts_with("attribute 0 is what this model calls 'a'"));
  CHECK(reveal_all(reader, f32_row({static_cast<float>(kMissing), 1, 2})).size() == 2);
  AttributeNames none(2);
  F32Reader other(2, none);
  CHECK(reveal_all(other, f32_row({1, 1, 2})).size() == 2);
  CHECK_FALSE(none.find_or_add("a").has_value());
}

}  // namespace f32_reader_test
