#include "data/records/npy_header.h"

#include <doctest/doctest.h>
#include <string>

#include "data/formats/f32_reader.h"
#include "data/reader_test_support.h"

namespace npy_header_test {

using namespace glimpse;

namespace {

std::string header(std::string text, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte)
    bytes += static_cast<char>(text.size() >> (8 * byte) & 0xff);
  return bytes + text;
}

const std::string kGood = "{'descr': '<f4', 'fortran_order': False, 'shape': (7, 4), }     \n";

std::string error(const std::string& text) {
  const std::string bytes = header(text);
  REQUIRE(npy_header_length(bytes).value() == bytes.size());
  return complaint(check_npy_header(bytes, 4));
}

}  // namespace

TEST_CASE("npy: the header's length is known once it is there, in every version") {
  for (const char version : {1, 2, 3}) {
    const std::string whole = header(kGood, version) + "rows";
    const std::size_t length = whole.size() - 4;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const auto found = npy_header_length(std::string_view(whole).substr(0, size));
      REQUIRE(found.has_value());
      CHECK(*found == (size < length ? 0 : length));
    }
    CHECK(check_npy_header(whole.substr(0, length), 4).has_value());
  }
}

TEST_CASE("npy: a header that is written is read as what it describes, as numpy aligns it") {
  for (const std::size_t rows : {std::size_t{0}, std::size_t{7}, std::size_t{1} << 40}) {
    const std::string written = npy_header(rows, 785);
    CHECK(npy_header_length(written + "row").value() == written.size());
    CHECK(written.size() % 64 == 0);
    CHECK(written.ends_with('\n'));
    CHECK(npy_columns(written).value() == 785);
    CHECK(check_npy_header(written, 785).has_value());
  }
  CHECK(npy_header(7, 4).substr(10, kGood.find('}')) == kGood.substr(0, kGood.find('}')));
}

TEST_CASE("npy: what is no header is told at the first byte that says so") {
  CHECK(npy_header_length("1").has_error());
  CHECK(npy_header_length("\x93NUMPY").has_value());
  CHECK(npy_header_length(std::string("\x93NUMPY\x04", 7)).has_error());
  CHECK(npy_header_length("\x93NUMPZ\x01").error().message ==
        "no .npy file of version 1 to 3: it begins with '\\x93NUMPZ\\x01'; without --format npy it is looked "
        "at");
  CHECK(npy_header_length(std::string("\x93NUMPY\x02\x00\x00\x00\x01\x01 ", 13)).error().message ==
        "the .npy header has 16842752 bytes, more than 65536");
}

TEST_CASE("npy: arrays of other kinds, orders and shapes are refused with what to do") {
  CHECK(
      check_npy_header(header("{\"shape\":(0,4),\"fortran_order\":False,\"descr\":\"<f4\"}"), 4).has_value());
  CHECK(error("{'descr': '<f8', 'fortran_order': False, 'shape': (7, 4), }") ==
        "the .npy array is of '<f8'; rows must be of '<f4': save array.astype('<f4')");
  CHECK(error("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (7, 4), }").find("<f4") !=
        std::string::npos);
  CHECK(error("{'descr': '<f4', 'fortran_order': True, 'shape': (7, 4), }") ==
        "the .npy array lies column by column: save numpy.ascontiguousarray(array)");
  for (const std::string shape : {"(7, 3)", "(7,)", "()", "(7, 4, 1)", "(7, 4", "7", "(a, 4)"}) {
    CAPTURE(shape);
    const std::string message = error("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape);
    CHECK(message.find("needs (rows, 4)") != std::string::npos);
  }
  CHECK(error("{}") == "the .npy header '{}' does not describe an array");
  CHECK(error("  ").find("does not describe an array") != std::string::npos);
}

TEST_CASE("npy: rows behind a header are those of f32, and after one that is refused all are") {
  AttributeNames reader_names(3);
  F32Reader reader(3, reader_names, F32Reader::Header::kNpy);
  REQUIRE(holds_nothing(reader, header(kGood)));
  CHECK(reveal(reader, f32_row({1, 0.5f, 2, 3}), {0, 2}) == std::vector<double>{0.5, 3});

  AttributeNames other_names(2);
  F32Reader other(2, other_names, F32Reader::Header::kNpy);
  CHECK(open_error(other, header(kGood)).find("shape '(7, 4)'") != std::string::npos);
  CHECK(open_error(other, f32_row({1, 2, 3})).starts_with("row refused, as the first was: "));

  AttributeNames cut_names(3);
  F32Reader cut(3, cut_names, F32Reader::Header::kNpy);
  CHECK(open_error(cut, "\x93NUM") == "the .npy header is cut short after 4 bytes");
}

TEST_CASE("npy: rows behind those that the header says are refused") {
  CHECK(npy_rows(header(kGood)) == 7);
  CHECK(npy_rows(npy_header(3, 4)) == 3);
  AttributeNames names(3);
  F32Reader reader(3, names, F32Reader::Header::kNpy);
  const std::string row(16, '\0');
  REQUIRE(reader.open(npy_header(3, 4)).has_value());
  for (int i = 0; i < 3; ++i) CHECK(reader.open(row).has_value());
  CHECK(complaint(reader.open(row)) == "row is behind the last that the .npy header says");
  CHECK(reader.open(npy_header(1, 4)).has_value());  // another array
  CHECK(reader.open(row).has_value());
  CHECK(complaint(reader.open(row)) == "row is behind the last that the .npy header says");
}

}  // namespace npy_header_test
