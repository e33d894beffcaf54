#include "daemon/http/http_head_rules.h"

#include <doctest/doctest.h>
#include <utility>
#include <vector>

namespace glimpse::http_head_rules_test {

namespace {

namespace http = boost::beast::http;
using Headers = std::vector<std::pair<const char*, const char*>>;

http::request_header<> head(const Headers& headers, unsigned version = 11, const char* method = "POST",
                            const char* target = "/v1/learn") {
  http::request_header<> made;
  made.version(version);
  made.method_string(method);
  made.target(target);
  for (const auto& [name, value] : headers) made.insert(name, value);
  return made;
}

// The status of what is found wrong, or 0.
unsigned checked(Headers headers, unsigned version = 11) {
  headers.emplace_back("Host", "localhost");
  const auto fault = check_head(head(headers, version));
  return fault ? fault->status : 0;
}

unsigned hosted(const Headers& hosts, unsigned version = 11) {
  const auto fault = check_head(head(hosts, version));
  return fault ? fault->status : 0;
}

struct Read {
  unsigned status = 0;
  HttpTarget target;
};

Read read(const char* target, const char* host = "localhost", bool secure = false,
          const char* method = "GET") {
  Read result;
  const auto fault = read_target(head({{"Host", host}}, 11, method, target), secure, result.target);
  if (fault) result.status = fault->status;
  return result;
}

}  // namespace

TEST_CASE("the only transfer coding is chunked, once and alone") {
  for (const char* value : {"chunked", "Chunked", "CHUNKED"})
    CHECK_MESSAGE(checked({{"Transfer-Encoding", value}}) == 0, value);
  for (const char* value : {"chunked, identity", "identity", "xchunked", "chunkedx", "chunked, chunked", "",
                            ",chunked", "chunked,", "chunked;q=1", "\"chunked\"", "chunked gzip", "gzip",
                            "chunked, gzip", "chunked, gzip, chunked", "'chunked'", "chunked\t,"})
    CHECK_MESSAGE(checked({{"Transfer-Encoding", value}}) == 400, value);
  for (const char* value : {"gzip, chunked", "identity, chunked", "gzip, deflate, CHUNKED"})
    CHECK_MESSAGE(checked({{"Transfer-Encoding", value}}) == 501, value);
}

TEST_CASE("transfer codings of several headers are one list") {
  CHECK(checked({{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}}) == 400);
  CHECK(checked({{"Transfer-Encoding", "chunked"}, {"transfer-encoding", "identity"}}) == 400);
  CHECK(checked({{"Transfer-Encoding", "gzip"}, {"X", "y"}, {"Transfer-Encoding", "chunked"}}) == 501);
  CHECK(checked({{"Transfer-Encoding", ""}, {"Transfer-Encoding", "chunked"}}) == 400);
}

TEST_CASE("a transfer coding is none of HTTP/1.0 and does not come with a length") {
  CHECK(checked({{"Transfer-Encoding", "chunked"}}, 10) == 400);
  CHECK(checked({{"Transfer-Encoding", "chunked"}, {"Content-Length", "5"}}) == 400);
  CHECK(checked({{"Content-Length", "5"}, {"Transfer-Encoding", "identity"}}) == 400);
}

TEST_CASE("a body that is coded is not read as if it were records") {
  for (const char* value : {"gzip", "br", "identity, gzip", "x-unknown", ""})
    CHECK_MESSAGE(checked({{"Content-Encoding", value}}) == 415, value);
  CHECK(checked({{"Content-Encoding", "identity"}}) == 0);
  CHECK(checked({{"Content-Encoding", "Identity"}, {"Content-Encoding", "gzip"}}) == 415);
}

TEST_CASE("one header of several that says close is enough") {
  CHECK(asks_to_close(head({{"Connection", "keep-alive"}, {"Connection", "close"}})));
  CHECK(asks_to_close(head({{"Connection", "upgrade, Close"}})));
  CHECK_FALSE(asks_to_close(head({{"Connection", "keep-alive"}, {"X", "close"}})));
}

TEST_CASE("a length is one whole number") {
  for (const char* value : {"0", "5", "005"}) CHECK_MESSAGE(checked({{"Content-Length", value}}) == 0, value);
  for (const char* value : {"+5", "-5", "5, 5", "5,", "5 5", "0x5", "5.0", "", "five", "5;", "\xd9\xa5"})
    CHECK_MESSAGE(checked({{"Content-Length", value}}) == 400, value);
  CHECK(checked({{"Content-Length", "5"}, {"Content-Length", "5"}}) == 400);
  CHECK(checked({{"Content-Length", "5"}, {"content-length", "6"}}) == 400);
}

TEST_CASE("a request names one host, which only HTTP/1.0 may leave out") {
  CHECK(hosted({}) == 400);
  CHECK(hosted({}, 10) == 0);
  for (const unsigned version : {10u, 11u}) {
    CHECK(hosted({{"Host", "a"}}, version) == 0);
    CHECK(hosted({{"Host", "a"}, {"Host", "a"}}, version) == 400);
    CHECK(hosted({{"Host", "a"}, {"host", "b"}}, version) == 400);
  }
  for (const char* host : {"", "localhost", "LOCALHOST:80", "127.0.0.1:9318", "[::1]", "[::1]:9318",
                           "a.example:", "a_b-c~d!", "%41.example", "a,b"})
    CHECK_MESSAGE(hosted({{"Host", host}}) == 0, host);
  for (const char* host :
       {"a b",     "a/b", "a@b",         "user@a:80",        "a:80a",    "a:b",  "a:80:80", "[::1", "[::1]x",
        "[::1]:x", "[]",  "[localhost]", "[fe80::1%lo]",     "::1",      "a\\b", "a?b",     "a#b",  "<a>",
        "\"a\"",   "%4",  "%zz",         "\xc3\xa4.example", "http://a", "a\tb"})
    CHECK_MESSAGE(hosted({{"Host", host}}) == 400, host);
}

TEST_CASE("a target is a path with a query, or a whole URL whose host counts in place of the header's") {
  Read one = read("/v1/model?format=csv&x=?");
  CHECK(one.status == 0);
  CHECK(one.target.path == "/v1/model");
  CHECK(one.target.query == "format=csv&x=?");
  CHECK_FALSE(one.target.host);
  for (const char* url : {"http://localhost:9318/v1/model?fresh=true", "HTTP://127.0.0.1/v1/model?fresh=true",
                          "http://[::1]:80/v1/model?fresh=true"}) {
    Read whole = read(url, "evil.example");
    CHECK_MESSAGE(whole.status == 0, url);
    CHECK(whole.target.path == "/v1/model");
    CHECK(whole.target.query == "fresh=true");
    CHECK(whole.target.host);
  }
  CHECK(read("http://localhost").target.path == "/");
  CHECK(read("http://localhost?a").target.query == "a");
  CHECK(read("//evil.example/v1/learn").target.path == "//evil.example/v1/learn");
}

TEST_CASE(
    "a whole URL of another host is misdirected, and one that the Host header names is left to the guard") {
  for (const char* url : {"http://evil.example/v1/learn", "http://evil.example:9318/", "http://10.0.0.1/",
                          "http://localhost.evil.example/", "http://127.0.0.1.evil.example/"})
    CHECK_MESSAGE(read(url).status == 421, url);
  Read named = read("http://Glimpse.example:80/v1/model", "glimpse.example");
  CHECK(named.status == 0);
  CHECK(*named.target.host == "Glimpse.example:80");
  CHECK(read("https://localhost/").status == 421);
  CHECK(read("https://localhost/", "localhost", true).status == 0);
}

TEST_CASE("what is no target is refused") {
  for (const char* target :
       {"v1/model", "?x", "http:/localhost/", "http:///v1/model", "http://user@localhost/", "http://a b/",
        "ftp://localhost/", "localhost:80", "://localhost/", "http://localhost:x/", "http://:80/", "*",
        "/a#b", "/\xc3\xa4", "http://[::1/"})
    CHECK_MESSAGE(read(target).status == 400, target);
  CHECK(read("*", "localhost", false, "OPTIONS").status == 0);
  CHECK(read("*", "localhost", false, "OPTIONS").target.path == "*");
  CHECK(read("localhost:80", "localhost", false, "CONNECT").status == 501);
}

}  // namespace glimpse::http_head_rules_test
