#include "glimpsectl/input/input_bodies.h"

#include <doctest/doctest.h>
#include <sstream>
#include <vector>

#include "compression/packing_test_support.h"

namespace input_bodies_test {

using namespace glimpse;
using namespace glimpse::ctl;

namespace {

struct Read {
  std::vector<LineChunks::Chunk> bodies;
  bool is_array = false;
  std::string error;
};

Read read(const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  Console console{in, out, out};
  InputBodies bodies("-", console);
  Read result;
  const auto array = bodies.is_array();
  if (!array) {
    result.error = array.error().message;
    return result;
  }
  result.is_array = *array;
  for (;;) {
    auto body = bodies.next();
    if (!body) result.error = body.error().message;
    if (!body || !*body) return result;
    result.bodies.push_back(std::move(**body));
  }
}

std::string joined(const Read& read) {
  std::string text;
  for (const auto& body : read.bodies) text += body.text;
  return text;
}

std::string lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

}  // namespace

TEST_CASE("a byte order mark in front is no part of the input") {
  const std::string mark = "\xef\xbb\xbf";
  CHECK(read(mark + "[1, 2]").is_array);
  CHECK(joined(read(mark + "[1, 2]")) == "[1, 2]");
  CHECK(joined(read(mark + "a,b\n1,2\n")) == "a,b\n1,2\n");
  CHECK(joined(read(gzip_of(mark + "a,b\n1,2\n"))) == "a,b\n1,2\n");
  for (const std::string input : {"\xef", "\xef\xbb", "\xef\xbb[1]\n", "\xef[\n", ""}) {
    CHECK_FALSE(read(input).is_array);
    CHECK(joined(read(input)) == input);
  }
}

TEST_CASE("packed bytes, also several behind each other, are read as what was packed") {
  const std::string text = lines(200'000);
  const std::string half = text.substr(0, 1'000'001);
  const Read plain = read(text);
  CHECK(plain.bodies.size() == 3);
  for (const std::string& input : {gzip_of(text), gzip_of(half) + gzip_of(text.substr(half.size()))}) {
    const Read unpacked = read(input);
    CHECK(unpacked.error.empty());
    REQUIRE(unpacked.bodies.size() == plain.bodies.size());
    for (std::size_t i = 0; i < plain.bodies.size(); ++i) {
      CHECK(unpacked.bodies[i].text == plain.bodies[i].text);
      CHECK(unpacked.bodies[i].lines_before == plain.bodies[i].lines_before);
    }
  }
  const Read array = read(gzip_of("[{},\n{}]"));
  CHECK(array.is_array);
  CHECK(joined(array) == "[{},\n{}]");
}

TEST_CASE("packed bytes may end where the room does") {
  for (const std::size_t size : {65535UL, 65536UL, 65537UL, 131072UL}) {
    const std::string text = std::string(size - 1, 'a') + "\n";
    for (const std::string& bytes : packings_of(text)) {
      const Read unpacked = read(bytes);
      CHECK(unpacked.error.empty());
      CHECK(joined(unpacked) == text);
    }
  }
}

TEST_CASE("packed bytes that are damaged or cut short end in an error, and no half line goes out") {
  const std::string text = lines(200'000);
  const std::string whole = gzip_of(text);
  const Read cut = read(whole.substr(0, whole.size() / 2));
  CHECK(cut.error == "'-': ends amid its gzip data: it is cut short");
  const std::string came = joined(cut);
  CHECK((came.empty() || came.ends_with('\n')));
  CHECK(text.starts_with(came));
  std::string damaged = whole;
  damaged[damaged.size() - 6] ^= 1;  // of the checksum
  CHECK(read(damaged).error.starts_with("'-': is no sound gzip data"));
  CHECK(read(gzip_of("[1").substr(0, 15)).error == "'-': ends amid its gzip data: it is cut short");
}

TEST_CASE("a body has a record, and the first of them two") {
  const std::string wide(1'500'000, 'x');
  const Read read_wide = read(wide + "\n" + wide + "\n" + wide + "\n");
  REQUIRE(read_wide.bodies.size() == 2);
  CHECK(read_wide.bodies[0].text == wide + "\n" + wide + "\n");
  CHECK(read_wide.bodies[1].lines_before == 2);

  const std::string blank(3'000'000, '\n');
  const Read read_blank = read("1\n" + blank + "2\n3\n" + blank);
  REQUIRE(read_blank.bodies.size() == 1);
  const Read only_blank = read(blank);
  REQUIRE(only_blank.bodies.size() == 1);
  CHECK(only_blank.bodies[0].text == blank);
  CHECK(read("").bodies.empty());
}

TEST_CASE("bodies leave room for what stands before them") {
  std::istringstream in(lines(400'000));
  std::ostringstream out;
  Console console{in, out, out};
  InputBodies bodies("-", console);
  REQUIRE(bodies.is_array().has_value());
  REQUIRE(bodies.next().has_value());
  bodies.make_room(400'000);
  CHECK(bodies.next().value()->text.size() <= 600'000);
  bodies.make_room(900'000);
  const auto large = bodies.next().value()->text.size();
  CHECK(large <= 900'000);
  CHECK(large > 800'000);
}

}  // namespace input_bodies_test
