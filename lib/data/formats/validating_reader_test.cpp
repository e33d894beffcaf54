
#include "data/formats.h"
#include "data/reader_test_support.h"

namespace validating_reader_test {

using namespace glimpse;

using Values = std::vector<double>;
using Entries = std::vector<Entry>;

namespace {

struct Case {
  Format format;
  std::string fine;   // attributes 0 … 3 are 1, 2, 3, 4
  std::string wrong;  // attribute 3 is no number
  std::string complaint;
};

const std::vector<Case> kCases{
    {Format::kSvmlight, "5 1:1 2:2 3:3 4:4", "5 1:1 2:2 3:3 4:x",
     "value 'x' of index 4 is not a finite number"},
    {Format::kVw, "5 | 0:1 1:2 2:3 3:4", "5 | 0:1 1:2 2:3 3:x", "value 'x' is not a finite number"},
    {Format::kCsv, "5,1,2,3,4", "5,1,2,3,inf",
     "value 'inf' in column #5 is not a finite number: leave the field empty or write NA where it is "
     "missing"},
    {Format::kF32, f32_row({5, 1, 2, 3, 4}), f32_row({5, 1, 2, 3, std::numeric_limits<float>::infinity()}),
     "value 'inf' of attribute 3 is not a finite number"},
};

}  // namespace

TEST_CASE("validating: a record is refused for a value that is not planned") {
  for (const Case& c : kCases) {
    CAPTURE(name_of(c.format));
    AttributeNames names(4);
    const FormatOptions options{.dimension = 4};
    ValidatingReader reader(make_example_reader(c.format, options, names));
    CHECK(reveal(reader, c.fine, {0, 3}) == Values{1, 4});
    CHECK(reader.head().label == 5.0);
    CHECK(reveal_all(reader, c.fine) == Entries{{0, 1}, {1, 2}, {2, 3}, {3, 4}});
    CHECK(open_error(reader, c.wrong) == c.complaint);
    CHECK_FALSE(reader.head().label);
    Values values(1);
    CHECK(complaint(reader.reveal(std::vector<Attribute>{0}, values)) ==
          "this record holds no example to reveal");

    const auto lazy = make_example_reader(c.format, options, names);
    require_open(*lazy, c.fine);  // so that the next is not taken for a header
    CHECK(reveal(*lazy, c.wrong, {0}) == Values{1});
  }
}

TEST_CASE("validating: records without an example hold none") {
  AttributeNames names(4);
  ValidatingReader reader(make_example_reader(Format::kCsv, FormatOptions{.dimension = 4}, names));
  CHECK(holds_nothing(reader, "# nothing"));
  CHECK(holds_nothing(reader, "y,a,b,c,d"));
  CHECK(reveal(reader, "1,2,3,4,5", {3}) == Values{5});
  CHECK(names.name(3) == "d");
}

TEST_CASE("validating: the names of a line that is refused are not kept") {
  AttributeNames names(4);
  ValidatingReader reader(make_example_reader(Format::kVw, FormatOptions{.dimension = 4}, names));
  CHECK(open_error(reader, "1 | a:1 b:x") == "value 'x' is not a finite number");
  CHECK(names.empty());
  CHECK(reveal(reader, "1 | a:1 b:2", {0, 1}) == Values{1, 2});
}

}  // namespace validating_reader_test
