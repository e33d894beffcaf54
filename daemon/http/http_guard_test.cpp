#include "daemon/http/http_guard.h"

#include <cstdio>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace glimpse::http_guard_test {

namespace {

constexpr const char* kReader = "reader-0123456789abcdef";
constexpr const char* kTeacher = "teacher-0123456789abcde";
constexpr const char* kWriter = "writer-0123456789abcdef";

Gate gate_with_tokens() {
  const std::string path = fmt::format("/tmp/glimpse-guard-{}", ::getpid());
  std::ofstream(path) << "read " << kReader << "\nlearn " << kTeacher << "\nwrite " << kWriter << "\n";
  ::chmod(path.c_str(), 0600);
  auto tokens = Tokens::read(path);
  std::remove(path.c_str());
  REQUIRE(tokens.has_value());
  return Gate(*tokens);
}

Caller on_tcp() { return {false, "127.0.0.1", nullptr}; }
Caller on_unix() { return {true, "", nullptr}; }

HttpHead head(std::optional<std::string> token = std::nullopt) {
  HttpHead head;
  head.method = "POST";
  head.path = "/v1/learn";
  if (token) head.authorization = "Bearer " + *token;
  return head;
}

// The status of the refusal, or 0.
unsigned refused(const Gate& gate, const Caller& caller, const HttpHead& head, Access needed) {
  const auto refusal = refuse_request(gate, caller, head, needed);
  return refusal ? refusal->status : 0;
}

}  // namespace

TEST_CASE("without tokens everybody who connects may do everything") {
  const Gate gate((Tokens()));
  CHECK(refused(gate, on_tcp(), head(), Access::kWrite) == 0);
  CHECK(refused(gate, on_unix(), head(), Access::kWrite) == 0);
  CHECK(refused(gate, on_tcp(), head("whatever"), Access::kWrite) == 0);
}

TEST_CASE("on TCP a token decides; on a Unix socket one is needed only to be allowed less") {
  const Gate gate = gate_with_tokens();
  CHECK(refused(gate, on_tcp(), head(), Access::kRead) == 401);
  CHECK(refused(gate, on_tcp(), head("wrong-0123456789abcdefg"), Access::kRead) == 401);
  CHECK(refused(gate, on_tcp(), head(kReader), Access::kRead) == 0);
  CHECK(refused(gate, on_tcp(), head(kReader), Access::kWrite) == 403);
  CHECK(refused(gate, on_tcp(), head(kReader), Access::kLearn) == 403);
  CHECK(refused(gate, on_tcp(), head(kTeacher), Access::kLearn) == 0);
  CHECK(refused(gate, on_tcp(), head(kTeacher), Access::kWrite) == 403);
  CHECK(refused(gate, on_tcp(), head(kWriter), Access::kWrite) == 0);
  CHECK(refused(gate, on_tcp(), head(), Access::kNone) == 0);
  CHECK(refused(gate, on_unix(), head(), Access::kWrite) == 0);
  CHECK(refused(gate, on_unix(), head(kReader), Access::kWrite) == 403);
  CHECK(refused(gate, on_unix(), head("wrong-0123456789abcdefg"), Access::kRead) == 401);
}

TEST_CASE("another scheme than Bearer is no token; its name may be in any case") {
  const Gate gate = gate_with_tokens();
  HttpHead basic = head();
  basic.authorization = std::string("Basic ") + kWriter;
  CHECK(refused(gate, on_tcp(), basic, Access::kRead) == 401);
  basic.authorization = kWriter;
  CHECK(refused(gate, on_tcp(), basic, Access::kRead) == 401);
  basic.authorization = std::string("bearer  ") + kWriter;
  CHECK(refused(gate, on_tcp(), basic, Access::kWrite) == 0);
}

TEST_CASE("a refusal says what to do, and never what the tokens are") {
  const Gate gate = gate_with_tokens();
  const auto missing = refuse_request(gate, on_tcp(), head(), Access::kRead);
  REQUIRE(missing.has_value());
  CHECK(missing->body.find("Authorization: Bearer TOKEN") != std::string::npos);
  CHECK(missing->headers.front().first == "WWW-Authenticate");
  const auto weak = refuse_request(gate, on_tcp(), head(kReader), Access::kWrite);
  REQUIRE(weak.has_value());
  CHECK(weak->body.find("POST /v1/learn needs one that may write") != std::string::npos);
  CHECK(weak->body.find(kReader) == std::string::npos);
  const auto reader = refuse_request(gate, on_tcp(), head(kReader), Access::kLearn);
  REQUIRE(reader.has_value());
  CHECK(reader->body.find("may read only, and POST /v1/learn needs one that may learn") != std::string::npos);
  const auto teacher = refuse_request(gate, on_tcp(), head(kTeacher), Access::kWrite);
  REQUIRE(teacher.has_value());
  CHECK(teacher->body.find("may read and teach only, and POST /v1/learn needs one that may write") !=
        std::string::npos);
}

TEST_CASE("other web pages are no clients; the door's own page is one") {
  const Gate open((Tokens()));
  const Gate locked = gate_with_tokens();
  const auto status = [&](const Gate& gate, const Caller& caller, const char* origin, const char* host,
                          std::optional<std::string> token = std::nullopt) {
    HttpHead page = head(std::move(token));
    page.origin = origin;
    if (*host != '\0') page.host = host;
    return refused(gate, caller, page, Access::kWrite);
  };
  for (const char* origin : {"http://evil.example", "http://127.0.0.1:9318", "null", "", "http://",
                             "https://127.0.0.1:9319", "http://127.0.0.1:9319/", "http://127.0.0.1",
                             "http://127.0.0.1:9319.evil.example", "127.0.0.1:9319", "file://127.0.0.1:9319"})
    for (const char* token : {kReader, kWriter}) {
      CHECK_MESSAGE(status(open, on_tcp(), origin, "127.0.0.1:9319") == 403, origin);
      CHECK_MESSAGE(status(locked, on_tcp(), origin, "127.0.0.1:9319", token) == 403, origin);
      CHECK_MESSAGE(status(open, on_tcp(), origin, "") == 403, origin);
      CHECK_MESSAGE(status(open, on_unix(), origin, "127.0.0.1:9319") == 403, origin);
    }
  for (const char* host : {"127.0.0.1:9319", "[::1]:9319", "localhost", "LocalHost:9319"})
    CHECK_MESSAGE(status(open, on_tcp(), ("http://" + std::string(host)).c_str(), host) == 0, host);
  CHECK(status(open, on_tcp(), "http://localhost:9319", "LOCALHOST:9319") == 0);
  HttpHead page = head();
  page.origin = "http://evil.example";
  CHECK(refused(open, on_tcp(), page, Access::kNone) == 403);
}

TEST_CASE("a request that a browser sends for another page is refused whatever it asks for") {
  const Gate open((Tokens()));
  const auto status = [&](const char* site, const char* referer, const Caller& caller, Access needed) {
    HttpHead request = head();
    request.method = "GET";
    request.host = "127.0.0.1:9318";
    if (*site != '-') request.fetch_site = site;
    if (*referer != '-') request.referer = referer;
    return refused(open, caller, request, needed);
  };
  for (const Access needed : {Access::kNone, Access::kRead, Access::kLearn, Access::kWrite})
    for (const Caller& caller : {on_tcp(), on_unix()}) {
      for (const char* site : {"cross-site", "same-site", "", "Same-Origin", "none, none"})
        CHECK_MESSAGE(status(site, "-", caller, needed) == 403, site);
      for (const char* referer :
           {"http://evil.example/", "http://127.0.0.1:9319/", "http://127.0.0.1/", "https://127.0.0.1:9318/",
            "http://127.0.0.1:9318@evil.example/", "http://127.0.0.1:9318.evil.example/", "127.0.0.1:9318",
            "http://", "android-app://org.example"})
        CHECK_MESSAGE(status("-", referer, caller, needed) == 403, referer);
      for (const char* site : {"same-origin", "none", "-"})
        for (const char* referer :
             {"-", "", "about:blank", "http://127.0.0.1:9318", "http://127.0.0.1:9318/",
              "http://127.0.0.1:9318?a", "HTTP://127.0.0.1:9318/v1/status?x=http://evil.example/"})
          CHECK_MESSAGE(status(site, referer, caller, needed) == 0, referer);
      CHECK(status("same-origin", "http://evil.example/", caller, needed) == 403);
      CHECK(status("cross-site", "http://127.0.0.1:9318/", caller, needed) == 403);
    }
}

TEST_CASE("the refusal of another page names the header that shows it") {
  HttpHead request = head();
  request.host = "127.0.0.1:9318";
  request.fetch_site = "cross-site";
  const auto refusal = refuse_request(Gate((Tokens())), on_tcp(), request, Access::kRead);
  REQUIRE(refusal.has_value());
  CHECK(refusal->body.find("this one has the Sec-Fetch-Site header 'cross-site', and is for Host "
                           "'127.0.0.1:9318'; other pages may link to / alone") != std::string::npos);
}

TEST_CASE("without a page of its own a door lets no page in") {
  const Gate open((Tokens()));
  HttpHead page = head();
  page.host = "127.0.0.1:9319";
  CHECK_FALSE(refuse_request(open, on_tcp(), page, Access::kWrite, false).has_value());
  page.origin = "http://127.0.0.1:9319";
  CHECK_FALSE(refuse_request(open, on_tcp(), page, Access::kWrite, true).has_value());
  const auto refusal = refuse_request(open, on_tcp(), page, Access::kRead, false);
  REQUIRE(refusal.has_value());
  CHECK(refusal->status == 403);
  CHECK(refusal->body.find("--page off") != std::string::npos);
  CHECK_FALSE(refuse_request(open, on_tcp(), page, Access::kNone, false).has_value());
  page.authorization = std::string("Bearer ") + kWriter;
  CHECK(refuse_request(gate_with_tokens(), on_tcp(), page, Access::kRead, false).has_value());
}

TEST_CASE("a page whose own name server points its name here is no client") {
  const Gate open((Tokens()));
  const Gate locked = gate_with_tokens();
  HttpHead page = head();
  page.origin = "http://evil.example:9318";
  page.host = "evil.example:9318";
  CHECK(refused(open, on_tcp(), page, Access::kRead) == 403);
  CHECK(refused(open, on_unix(), page, Access::kRead) == 403);  // through a proxy
  CHECK(refused(locked, on_tcp(), page, Access::kRead) == 401);
  CHECK(refused(locked, on_unix(), page, Access::kRead) == 403);
  page.authorization = std::string("Bearer ") + kReader;
  CHECK(refused(open, on_unix(), page, Access::kRead) == 403);
  CHECK(refused(locked, on_tcp(), page, Access::kRead) == 0);  // who shows a token knows the door
  CHECK(refused(locked, on_unix(), page, Access::kRead) == 0);
  CHECK(refused(locked, on_tcp(), page, Access::kLearn) == 403);
}

TEST_CASE("a door with TLS has a page of https alone") {
  Caller caller = on_tcp();
  caller.is_tls = true;
  HttpHead page = head();
  page.host = "localhost:9318";
  page.origin = "https://localhost:9318";
  const Gate open((Tokens()));
  CHECK(refused(open, caller, page, Access::kWrite) == 0);
  page.origin = "http://localhost:9318";
  CHECK(refused(open, caller, page, Access::kWrite) == 403);
}

TEST_CASE("without tokens a request must name an address, which nobody else can point here") {
  const Gate open((Tokens()));
  const auto status = [&](const char* host, const Caller& caller) {
    HttpHead request = head();
    request.host = host;
    return refused(open, caller, request, Access::kRead);
  };
  for (const char* host :
       {"127.0.0.1:9318", "127.0.0.1", "[::1]:9318", "[::1]", "localhost:9318", "LocalHost"})
    CHECK_MESSAGE(status(host, on_tcp()) == 0, host);
  for (const char* host : {"evil.example", "evil.example:9318", "127.0.0.1.evil.example:9318",
                           "localhost.evil.example", "", ":80", "[::1"})
    CHECK_MESSAGE(status(host, on_tcp()) == 403, host);
  CHECK(status("glimpse", on_unix()) == 0);  // curl --unix-socket … http://glimpse/
  HttpHead named = head(kWriter);
  named.host = "glimpse.example:9318";
  CHECK(refused(gate_with_tokens(), on_tcp(), named, Access::kWrite) == 0);
}

}  // namespace glimpse::http_guard_test
