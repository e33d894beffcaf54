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
  HttpHead head{"POST", "/v1/learn", std::nullopt, std::nullopt, false};
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

TEST_CASE("web pages are no clients") {
  const Gate open((Tokens()));
  HttpHead page = head();
  page.has_origin = true;
  CHECK(refused(open, on_tcp(), page, Access::kRead) == 403);
  CHECK(refused(gate_with_tokens(), on_tcp(), page, Access::kRead) == 403);
  CHECK(refused(open, on_tcp(), page, Access::kNone) == 0);
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
