#include <doctest/doctest.h>
#include <fmt/format.h>

#include "daemon/http/http_head_rules.h"

namespace glimpse::http_head_scanner_test {

namespace {

using State = HeadScanner::State;

const std::string kHead = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

State scanned(std::string_view bytes) { return HeadScanner().scan(bytes); }

HttpFault fault_of(std::string_view bytes) {
  HeadScanner scanner;
  CHECK_MESSAGE(scanner.scan(bytes) == State::kWrong, bytes);
  return scanner.fault();
}

}  // namespace

TEST_CASE("a head ends at its empty line, and what follows is left") {
  HeadScanner scanner;
  CHECK(scanner.scan(kHead + kHead) == State::kWhole);
  CHECK(scanner.begin() == 0);
  CHECK(scanner.length() == kHead.size());
}

TEST_CASE("a head may come byte by byte") {
  HeadScanner scanner;
  for (std::size_t i = 0; i < kHead.size(); ++i)
    CHECK(scanner.scan(std::string_view(kHead).substr(0, i)) == State::kUnfinished);
  CHECK(scanner.scan(kHead) == State::kWhole);
}

TEST_CASE("empty lines before the first do not count") {
  HeadScanner scanner;
  CHECK(scanner.scan("\r\n\r\n" + kHead) == State::kWhole);
  CHECK(scanner.begin() == 4);
  CHECK(scanner.length() == kHead.size());
}

TEST_CASE("TLS at a door of plain HTTP is called that at its first byte") {
  CHECK(fault_of("\x16").message.find("begins as TLS does, but this door speaks plain HTTP") !=
        std::string::npos);
}

TEST_CASE("a line that ends with CR or LF alone is refused as soon as it does") {
  CHECK(fault_of("GET / HTTP/1.1\n").message ==
        "not an HTTP request: line 1 of its head ends with LF alone; CR LF must stand there");
  CHECK(fault_of("GET / HTTP/1.1\r\nHost: a\rX").message ==
        "not an HTTP request: line 2 of its head ends with CR alone; CR LF must stand there");
  for (const char* head :
       {"\n", "\rG", "GET / HTTP/1.1\r\nHost: a\n", "GET / HTTP/1.1\r\n\n", "GET / HTTP/1.1\r\r"})
    CHECK(fault_of(head).status == 400);
}

TEST_CASE("a control character is refused wherever it stands, and a tab or a byte beyond ASCII is none") {
  for (int c = 0; c < 256; ++c) {
    if (c == '\r' || c == '\n') continue;
    const std::string head = fmt::format("GET / HTTP/1.1\r\nX: a{}b\r\n\r\n", static_cast<char>(c));
    const bool is_control = (c < ' ' && c != '\t') || c == 0x7f;
    CHECK(scanned(head) == (is_control ? State::kWrong : State::kWhole));
  }
  CHECK(fault_of("G\x16").message ==
        "not an HTTP request: line 1 of its head has the control character 0x16");
}

TEST_CASE("a header that goes on in the next line is refused") {
  for (const char* head : {"GET / HTTP/1.1\r\nX: a\r\n b\r\n", "GET / HTTP/1.1\r\nX: a\r\n\tb\r\n",
                           "GET / HTTP/1.1\r\n X: a\r\n", "GET / HTTP/1.1\r\nX:\r\n \r\n"})
    CHECK(fault_of(head).message.ends_with("begins with a blank; a header must stand in one line"));
}

TEST_CASE("a first line that is none of HTTP is refused without waiting for the rest, and not shown") {
  for (const char* line :
       {"GET /\r\n", "GET / \r\n", "GET /  HTTP/1.1\r\n", " GET / HTTP/1.1\r\n", "GET / http/1.1\r\n",
        "GET / HTTP/1.1 \r\n", "GET / HTTP/11\r\n", "GET / HTTP/1.10\r\n", "GET / HTTP/1.x\r\n",
        "HTTP/1.1\r\n", "1 | 0:1\r\n", "#glimpse token=0123456789abcdef\r\n", "GET a b HTTP/1.1\r\n"}) {
    const HttpFault fault = fault_of(line);
    CHECK_MESSAGE(fault.status == 400, line);
    CHECK(fault.message == "not an HTTP request: line 1 of its head must be METHOD TARGET HTTP/1.1");
  }
}

TEST_CASE("other versions are named") {
  for (const char* version : {"HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "HTTP/3.0"}) {
    const HttpFault fault = fault_of(fmt::format("PRI * {}\r\n", version));
    CHECK(fault.status == 505);
    CHECK(fault.message == fmt::format("{} is not spoken here: HTTP/1.1 and HTTP/1.0 are", version));
  }
  CHECK(scanned("GET / HTTP/1.0\r\n\r\n") == State::kWhole);
}

}  // namespace glimpse::http_head_scanner_test
