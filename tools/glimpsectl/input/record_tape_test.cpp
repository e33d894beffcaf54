#include "glimpsectl/input/record_tape.h"

#include <doctest/doctest.h>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace record_tape_test {

using namespace glimpse;
using namespace glimpse::ctl;

namespace {

class File {
 public:
  explicit File(const std::string& content) : path_("/tmp/glimpse-tape-" + std::to_string(::getpid())) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~File() { ::unlink(path_.c_str()); }
  RecordTape tape(const std::string& format = "auto", std::size_t dimension = 0) const {
    return {ByteTape::open(path_).value(), format, dimension};
  }

 private:
  std::string path_;
};

std::string rest_of(RecordTape& tape) {
  std::string all;
  for (;;) {
    const auto piece = tape.next();
    REQUIRE(piece.has_value());
    if (piece->bytes.empty()) return all;
    all += piece->bytes;
  }
}

std::string npy_header(const std::string& columns = "3") {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (5, " + columns + "), }";
  text.resize(117, ' ');
  text += '\n';
  return std::string("\x93NUMPY\x01\0\x76\0", 10) + text;
}

}  // namespace

TEST_CASE("from behind any record the rest follows") {
  // Longer than a piece, so that it takes several.
  std::string lines = "\n# comment\r\n";
  std::vector<std::size_t> begins{0, 1, lines.size()};
  for (int i = 0; i < 40000; ++i) {
    lines += std::to_string(i) + " 1:0.25 2:0.5\n";
    begins.push_back(lines.size());
  }
  const File file(lines);
  auto tape = file.tape();
  for (const std::size_t n : {0UL, 1UL, 2UL, 3UL, 17UL, 12345UL, 30000UL, 40002UL, 5UL, 0UL}) {
    CAPTURE(n);
    REQUIRE(tape.seek(n).has_value());
    CHECK(tape.position() == n);
    CHECK(rest_of(tape) == lines.substr(begins[n]));
    CHECK(tape.position() == 40002);
  }
  CHECK(tape.seek(40003).error().message ==
        "it has fewer records than the 40003 that were received before: it was cut short, replaced or "
        "rotated since they were sent; send it as another source (--source)");
}

TEST_CASE("a header is a record that is sent, and none of those that are reported") {
  const auto reported = [](const std::string& content, const char* format) {
    const File file(content);
    auto tape = file.tape(format, 2);
    CHECK(tape.without_header(tape.position()) == 0);
    CHECK(rest_of(tape) == content);
    CHECK(tape.position() - tape.without_header(tape.position()) == (tape.has_header() ? 1 : 0));
    return tape.without_header(tape.position());
  };
  CHECK(reported(npy_header() + std::string(60, '\x01'), "npy") == 5);
  CHECK(reported("a,b,y\n1,2,3\n4,5,6\n", "auto") == 2);
  CHECK(reported("a,b,y\n1,2,3\n4,5,6\n", "csv") == 2);
  CHECK(reported("1,2,3\n4,5,6\n", "csv") == 2);
  CHECK(reported("1 1:2\n3 2:1\n", "auto") == 2);
  CHECK(reported(std::string(24, '\x01'), "f32") == 2);
}

TEST_CASE("a header that a slow pipe brings alone is no record") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  RecordTape tape(ByteTape::open("/dev/fd/" + std::to_string(ends[0])).value(), "csv", 0);
  std::uint64_t records = 0;
  for (const std::string line : {"# of one meter\n", "hour,2011,y\n", "1,2,3\n", "4,5,6\n"}) {
    REQUIRE(::write(ends[1], line.data(), line.size()) == static_cast<ssize_t>(line.size()));
    CHECK(tape.next().value().bytes == line);
    CHECK(tape.position() == ++records);
  }
  ::close(ends[1]);
  CHECK(tape.next().value().bytes.empty());
  CHECK(tape.has_header());
  CHECK(tape.without_header(records) == 3);
  ::close(ends[0]);
}

TEST_CASE("a last line without newline is sent with one, and a line may be longer than a piece") {
  const std::string longest(3 * RecordTape::kPiece, 'x');
  const File file("a\n" + longest + "\nb");
  auto tape = file.tape();
  CHECK(rest_of(tape) == "a\n" + longest + "\nb\n");
  CHECK(tape.position() == 3);
  REQUIRE(tape.seek(2).has_value());
  CHECK(rest_of(tape) == "b\n");
  REQUIRE(tape.seek(3).has_value());
  CHECK(rest_of(tape).empty());
}

TEST_CASE("rows of singles, behind numpy's header, which is a record") {
  std::string rows;
  for (int i = 0; i < 50000; ++i) rows += std::string(11, static_cast<char>(i)) + '\n';
  const File f32(rows);
  auto bare = f32.tape("f32", 2);
  for (const std::size_t n : {0UL, 1UL, 49999UL, 50000UL, 30000UL}) {
    REQUIRE(bare.seek(n).has_value());
    CHECK(rest_of(bare) == rows.substr(12 * n));
  }
  CHECK_FALSE(bare.seek(50001).has_value());
  const File npy(npy_header() + rows);
  auto tape = npy.tape("npy");
  CHECK(rest_of(tape) == npy_header() + rows);
  CHECK(tape.position() == 50001);
  for (const std::size_t n : {1UL, 2UL, 40000UL, 50001UL}) {
    auto fresh = npy.tape("npy");
    REQUIRE(fresh.seek(n).has_value());
    CHECK(rest_of(fresh) == rows.substr(12 * (n - 1)));
  }
}

TEST_CASE("an array of another number of rows than its header says is an error at its end") {
  for (const std::size_t rows : {4UL, 5UL, 6UL}) {
    const File npy(npy_header() + std::string(12 * rows, '\x01'));
    auto tape = npy.tape("npy");
    rest_of(tape);
    const Status whole = tape.check_end();
    CHECK(whole.has_value() == (rows == 5));
    if (rows == 4) CHECK(whole.error().message == "the array has 4 rows, and its .npy header says 5");
  }
}

TEST_CASE("what is no array, and what ends amid a row, is refused") {
  const File cut(std::string(25, 'x'));
  auto tape = cut.tape("f32", 2);
  CHECK(tape.next().value().records == 2);
  CHECK(tape.next().error().message == "the input ends amid record 3, after 1 bytes of it");
  auto no_header = cut.tape("npy");
  CHECK_FALSE(no_header.next().has_value());
  // Columns whose bytes are more than 64 bits can count.
  for (const std::string columns : {"268435457", "4611686018427387904", "18446744073709551615"}) {
    const File wide(npy_header(columns) + "abcd");
    auto rows = wide.tape("npy");
    CHECK(rows.next().error().message == "a row of " + columns + " columns is longer than 1073741824 bytes");
  }
  CHECK(ByteTape::open("/nonexistent/file").error().message ==
        "'/nonexistent/file' cannot be opened: No such file or directory");
  CHECK(ByteTape::open("/tmp").error().message == "'/tmp' is a directory");
}

TEST_CASE("a pipe can be gone back in to what was not forgotten") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const int stdin_before = ::dup(0);
  ::dup2(ends[0], 0);
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "line " + std::to_string(i) + "\n";
  REQUIRE(::write(ends[1], lines.data(), lines.size()) == static_cast<ssize_t>(lines.size()));
  {
    RecordTape tape(ByteTape::open("-").value(), "", 0);
    CHECK_FALSE(tape.waits());
    CHECK(tape.next().value().records == 100);
    CHECK(tape.waits());
    REQUIRE(tape.forget(40).has_value());
    ::close(ends[1]);
    REQUIRE(tape.seek(40).has_value());
    CHECK(rest_of(tape) == lines.substr(lines.find("line 40")));
    CHECK(tape.seek(39).error().message == "the daemon has 39 records, but 40 were durable");
  }
  ::dup2(stdin_before, 0);
  ::close(stdin_before);
  ::close(ends[0]);
}

TEST_CASE("what gzip or zstd packed has no lines, and is refused with the way to unpack it") {
  for (const auto& [magic, program] :
       std::vector<std::pair<std::string, std::string>>{{"\x1f\x8b", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"}}) {
    const File file(magic + "\x08 some bytes\nand more\n");
    RecordTape tape = file.tape();
    const auto piece = tape.next();
    REQUIRE_FALSE(piece.has_value());
    CHECK(piece.error().code == ErrorCode::kInvalidInput);
    CHECK(piece.error().message.find(program + " -dc FILE") != std::string::npos);
  }
}

TEST_CASE("a last line without newline is told, as what is added to it later is not seen") {
  const File whole("1 2\n3 4\n");
  RecordTape tape = whole.tape();
  (void)rest_of(tape);
  CHECK_FALSE(tape.has_ended_line());
  const File cut("1 2\n3 4");
  RecordTape of_cut = cut.tape();
  CHECK(rest_of(of_cut) == "1 2\n3 4\n");
  CHECK(of_cut.has_ended_line());
}

}  // namespace record_tape_test
