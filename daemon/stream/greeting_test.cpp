#include "daemon/stream/greeting.h"

#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

namespace greeting_test {

using namespace glimpse;

namespace {

using Kind = GreetingScan::Kind;

Kind kind_of(std::string_view bytes) {
  const auto scan = scan_greeting(bytes);
  REQUIRE(scan.has_value());
  return scan->kind;
}

Greeting greeting_of(const std::string& bytes) {
  const auto scan = scan_greeting(bytes);
  REQUIRE(scan.has_value());
  REQUIRE(scan->kind == Kind::kWhole);
  CHECK(scan->length == bytes.find('\n') + 1);
  return scan->greeting;
}

std::string refusal_of(std::string_view bytes) {
  const auto scan = scan_greeting(bytes);
  REQUIRE_FALSE(scan.has_value());
  return scan.error().message;
}

}  // namespace

TEST_CASE("a stream that does not begin with a greeting is told at its first other byte") {
  CHECK(kind_of("1 1:2\n") == Kind::kNone);
  CHECK(kind_of("# a comment\n") == Kind::kNone);
  CHECK(kind_of("\3glimpse source=a\n") == Kind::kNone);
  CHECK(kind_of("#glimpse\xc3\xa9\n") == Kind::kNone);
  CHECK(kind_of("#glimpses source=a\n") == Kind::kNone);
  CHECK(kind_of("#glimpsed=1\n") == Kind::kNone);
  CHECK(kind_of("\n1 1:2\n") == Kind::kNone);
  CHECK(kind_of("\n#glimpse source=a\n") == Kind::kNone);  // each of two lines for itself: a blank, a comment
}

TEST_CASE("what is nearly a greeting is not taken for a comment") {
  for (const char* line : {"#glimpse\n", "#glimpse\tsource=a\n", "#glimpse\r\n"})
    CHECK(refusal_of(line) == "greeting #glimpse: a blank must follow the word");
  for (const char* line : {"#glimpsesource=x\n", "#glimpsetoken="})
    CHECK(refusal_of(line) == "greeting #glimpse: a blank must follow the word");
  for (const char* begun : {"#glimpse", "#glimpsesour", "\xef\xbb"})
    CHECK(kind_of(begun) == Kind::kUnfinished);
  for (const char* line : {"#GLIMPSE source=a\n", "#Glimpse ", "#glimpsE source=a\n"})
    CHECK(refusal_of(line) == "greeting #glimpse: the word must be in small letters");
  for (const char* line : {"\xef\xbb\xbf#glimpse source=a\n", "\xef\xbb\xbf#GLIMPSE\t"})
    CHECK(refusal_of(line) == "greeting #glimpse: no byte order mark may stand before it");
  for (const char* begun :
       {"#G", "#GLIMPSE", "\xef", "\xef\xbb", "\xef\xbb\xbf", "\xef\xbb\xbf#", "\xef\xbb\xbf#Glim"})
    CHECK(kind_of(begun) == Kind::kUnfinished);
  for (const char* line :
       {"#GLIMPSES source=a\n", "#Gl\n", "\xef\xbb\xbfy,a\n", "\xef\xbb#glimpse \n", "\xef\xbb\xbf# x\n"})
    CHECK(kind_of(line) == Kind::kNone);
}

TEST_CASE("a greeting may come byte by byte") {
  const std::string whole = "#glimpse source=sensor-1\n1 1:2\n";
  const std::size_t length = whole.find('\n') + 1;
  for (std::size_t size = 0; size < length; ++size)
    CHECK(kind_of(std::string_view(whole).substr(0, size)) == Kind::kUnfinished);
  for (std::size_t size = length; size <= whole.size(); ++size)
    CHECK(kind_of(std::string_view(whole).substr(0, size)) == Kind::kWhole);
  CHECK(greeting_of(whole).source == "sensor-1");
  CHECK_FALSE(greeting_of(whole).from);
}

TEST_CASE("keys come in any order, between any number of blanks, and lines end in either way") {
  CHECK(greeting_of("#glimpse  from=17   source=a/b:c \r\n").source == "a/b:c");
  CHECK(greeting_of("#glimpse  from=17   source=a/b:c \r\n").from == 17);
  CHECK(greeting_of("#glimpse source=" + std::string(128, 'x') + "\n").source == std::string(128, 'x'));
}

TEST_CASE("a token may come alone or with a source") {
  CHECK(greeting_of("#glimpse token=0123456789abcdef=\n").token == "0123456789abcdef=");
  CHECK(greeting_of("#glimpse token=0123456789abcdef\n").source.empty());
  CHECK(greeting_of("#glimpse source=a token=x\n").token == "x");
  CHECK_FALSE(greeting_of("#glimpse source=a\n").token.has_value());
}

TEST_CASE("a client may say how many bytes it can keep until they are durable") {
  CHECK_FALSE(greeting_of("#glimpse source=a\n").memory.has_value());
  CHECK(greeting_of("#glimpse source=a memory=67108864\n").memory == 67108864);
  CHECK(greeting_of("#glimpse memory=0 source=a\n").memory == 0);
  CHECK(greeting_of("#glimpse source=a memory=18446744073709551615\n").memory == ~std::uint64_t{0});
  CHECK(refusal_of("#glimpse source=a memory=64MiB\n") ==
        "greeting #glimpse: memory '64MiB' must be a whole number of bytes");
  CHECK(refusal_of("#glimpse source=a memory=18446744073709551616\n") ==
        "greeting #glimpse: memory '18446744073709551616' must be a whole number of bytes");
  CHECK(refusal_of("#glimpse source=a memory=1 memory=1\n") ==
        "greeting #glimpse: 'memory' must be given once only");
  CHECK(refusal_of("#glimpse memory=1\n") == "greeting #glimpse: memory is without source=NAME");
}

TEST_CASE("a request of HTTP is none of a stream, and a line that only begins like one is") {
  for (const char* line : {"GET /", "GET / HTTP/1.1\r\n", "POST /v1/learn HTTP/1.1\r\n", "PUT /x", "HEAD /",
                           "OPTIONS * HTTP/1.1", "OPTIONS /", "DELETE /x", "PATCH /x"})
    CHECK_MESSAGE(kind_of(line) == Kind::kHttp, line);
  for (const char* line : {"P", "PO", "POST", "POST ", "G", "OPTIONS "})
    CHECK_MESSAGE(kind_of(line) == Kind::kUnfinished, line);
  for (const char* line : {"POST,a,b\n", "GETS", "Get /", "PX", "POST |", "GET\n"})
    CHECK_MESSAGE(kind_of(line) == Kind::kNone, line);
}

TEST_CASE("what is wrong with a greeting is said with its value and the constraint") {
  CHECK(refusal_of("#glimpse \n") ==
        "greeting #glimpse: says nothing; the keys are version, token, source, from, memory and contents");
  CHECK(refusal_of("#glimpse from=1\n") == "greeting #glimpse: from is without source=NAME");
  CHECK(refusal_of("#glimpse sensor\n") == "greeting #glimpse: every word must be KEY=VALUE");
  CHECK(refusal_of("#glimpse source=a colour=red\n") ==
        "greeting #glimpse: 'colour' is not a key; the keys are version, token, source, from, memory and "
        "contents");
  CHECK(refusal_of("#glimpse source=a source=b\n") == "greeting #glimpse: 'source' must be given once only");
  CHECK(refusal_of("#glimpse source=a from=-1\n") ==
        "greeting #glimpse: from '-1' must be a whole number of records");
  CHECK(refusal_of("#glimpse source=a from=99999999999999999999\n") ==
        "greeting #glimpse: from '99999999999999999999' must be a whole number of records");
}

TEST_CASE("version 1 of the protocol may be named, and another one is refused") {
  CHECK(scan_greeting("#glimpse version=1 source=a\n")->greeting.source == "a");
  CHECK(scan_greeting("#glimpse source=a version=1\n")->kind == Kind::kWhole);
  CHECK(scan_greeting("#glimpse version=1\n")->kind == Kind::kWhole);
  CHECK(refusal_of("#glimpse version=2 source=a\n") ==
        "greeting #glimpse: version '2': this daemon speaks version 1 alone");
  CHECK(refusal_of("#glimpse version=\n") ==
        "greeting #glimpse: version '': this daemon speaks version 1 alone");
  CHECK(refusal_of("#glimpse version=1 version=1\n") ==
        "greeting #glimpse: 'version' must be given once only");
}

TEST_CASE("names are 1 to 128 printable characters without blanks and equals signs") {
  const std::string constraint = "printable ASCII characters without blanks and '='";
  CHECK(refusal_of("#glimpse source=\n") ==
        "greeting #glimpse: source '' has 0 characters; a name has 1 to 128, " + constraint);
  CHECK(refusal_of("#glimpse source=" + std::string(129, 'x') + "\n") ==
        "greeting #glimpse: source '" + std::string(40, 'x') +
            "...' has 129 characters; a name has 1 to 128, " + constraint);
  CHECK(refusal_of("#glimpse source=a=b\n") ==
        "greeting #glimpse: source 'a=b': character 2 cannot be in a name, which has " + constraint);
  for (const auto& [bad, shown] :
       std::vector<std::pair<std::string, std::string>>{{"\t", "\\x09"},
                                                        {"\x7f", "\\x7f"},
                                                        {"\x01", "\\x01"},
                                                        {"\xc3", "\\xc3"},
                                                        {"\xc3\xa9", "\xc3\xa9"}}) {
    CHECK(refusal_of("#glimpse source=ab" + bad + "\n") ==
          "greeting #glimpse: source 'ab" + shown + "': character 3 cannot be in a name, which has " +
              constraint);
  }
}

TEST_CASE("a greeting that does not end is refused at its limit and not kept for ever") {
  std::string line = "#glimpse source=";
  line.resize(Greeting::kMostBytes - 1, ' ');
  CHECK(kind_of(line) == Kind::kUnfinished);
  CHECK(refusal_of(line + ' ') == "greeting #glimpse: the line is longer than 1024 bytes");
  CHECK(refusal_of(line + " \n") == "greeting #glimpse: the line is longer than 1024 bytes");
}

}  // namespace greeting_test
