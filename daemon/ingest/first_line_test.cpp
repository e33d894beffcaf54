#include "daemon/ingest/first_line.h"

#include <doctest/doctest.h>
#include <string>

namespace glimpse::first_line_test {

namespace {

using Verdict = FirstLine::Verdict;

Verdict of_lines(std::string_view bytes) { return FirstLine(true).add(bytes); }
Verdict of_rows(std::string_view bytes) { return FirstLine(false).add(bytes); }

}  // namespace

TEST_CASE("a first line that ends in a version of HTTP is a request, whatever its first word") {
  for (const char* line :
       {"patch / HTTP/1.1\r\n",      "foo / HTTP/1.1\n",      "1 / HTTP/1.1\r\n",         "| / HTTP/1.1\r\n",
        "1 | a:1 HTTP/1.0\n",        "PRI * HTTP/2.0\r\n",    "post / http/1.1\r\n",      "x\tHTTP/1.1\n",
        "x / HTTP/1.1 \t\r\n",       "x / HTTP/0.9\n",        "CONNECT a:1 HTTP/1.1\r\n", "x / HTTP/2\n",
        "x / HTTP/1.1\r\r\n",        "x HTTP/1.1 HTTP/1.1\n", "x / HTTP/11.25\n",         "HTTP/1.1\n",
        "x / HTTP/1.1\rHost: a\r\n", "\xff / HTTP/1.1\r\n",   "a HTTP/ HTTP/1.1\n",       "# HTTP/1.1\n"}) {
    CHECK_MESSAGE(of_lines(line) == Verdict::kHttp, line);
    const bool is_text = line[0] != '\xff';
    CHECK_MESSAGE(of_rows(line) == (is_text ? Verdict::kHttp : Verdict::kRecords), line);
  }
}

TEST_CASE("a line that only holds the name of HTTP is a record") {
  for (const char* line :
       {"1 | a:1\n", "1 | HTTP/1.1:1\n", "1 | a HTTP/1.1 b\n", "1,HTTP/1.1\n", "x / HTTP/\n", "x / HTTP/1.\n",
        "x / HTTP/.1\n", "x / HTTPS/1.1\n", "x /HTTP/1.1x\n", "x / HTTP/1.1x\n", "xHTTP/1.1\n",
        "x / HTTP 1.1\n", "GET /\n", "x\n HTTP/1.1\n"}) {
    CHECK_MESSAGE(of_lines(line) == Verdict::kRecords, line);
    CHECK_MESSAGE(of_rows(line) == Verdict::kRecords, line);
  }
}

TEST_CASE("lines of blanks do not count as the first") {
  CHECK(of_lines("\r\n\n \t\r\nfoo / HTTP/1.1\r\n") == Verdict::kHttp);
  CHECK(of_rows("\r\nfoo / HTTP/1.1\r\n") == Verdict::kHttp);
  CHECK(of_lines("\n\n1 | a\nfoo / HTTP/1.1\n") == Verdict::kRecords);
  CHECK(of_lines("\n\r\n  \n") == Verdict::kUnfinished);
}

TEST_CASE("the first line may come byte by byte, and once it is known the verdict stays") {
  const std::string request = "\r\nfoo / HTTP/1.1\r\n";
  for (const bool lines : {true, false}) {
    FirstLine line(lines);
    for (std::size_t i = 0; i + 2 < request.size(); ++i)
      CHECK(line.add(std::string_view(request).substr(i, 1)) == Verdict::kUnfinished);
    CHECK(line.add("\r") == Verdict::kHttp);
    CHECK(line.add("\n1 | a\n") == Verdict::kHttp);
  }
  FirstLine records(true);
  CHECK(records.add("1 | a\n") == Verdict::kRecords);
  CHECK(records.add("foo / HTTP/1.1\n") == Verdict::kRecords);
}

TEST_CASE("however long its target is, a request is told from lines") {
  CHECK(of_lines("foo /" + std::string(3 << 20, 'x') + " HTTP/1.1\r\n") == Verdict::kHttp);
}

TEST_CASE("rows are told from text by their first byte that is none, by their length or when no more comes") {
  CHECK(of_rows(std::string_view("foo\0", 4)) == Verdict::kRecords);
  CHECK(of_rows("foo\x80") == Verdict::kRecords);
  CHECK(of_rows("foo\x7f") == Verdict::kRecords);
  CHECK(of_rows(std::string(FirstLine::kMostText, '?')) == Verdict::kUnfinished);
  CHECK(of_rows(std::string(FirstLine::kMostText + 1, '?')) == Verdict::kRecords);
  FirstLine rows(false);
  CHECK(rows.add("????????") == Verdict::kUnfinished);
  rows.give_up();
  CHECK(rows.verdict() == Verdict::kRecords);
  FirstLine request(false);
  CHECK(request.add("foo / HTTP/1.1\r\n") == Verdict::kHttp);
  request.give_up();
  CHECK(request.verdict() == Verdict::kHttp);
}

}  // namespace glimpse::first_line_test
