#include "daemon/http/http_session.h"

#include <array>
#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "daemon/support/memory_trouble.h"

namespace http_session_test {

using namespace glimpse;

namespace {

// What a client gets whose request `handler` takes.
std::string answer_of(HttpHandler handler) {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  ConnectionCount connections;
  boost::asio::io_context io;
  StreamSocket socket(io);
  socket.assign(boost::asio::generic::stream_protocol(AF_UNIX, 0), ends[0]);
  Caller caller;
  caller.is_unix = true;
  serve_http(
      io, std::move(socket), std::move(caller), connections, HttpLimits(),
      [](const Caller&, const HttpHead&) { return std::nullopt; }, std::move(handler));
  const std::string request = "GET /v1/plans HTTP/1.1\r\nHost: a\r\n\r\n";
  REQUIRE(::write(ends[1], request.data(), request.size()) == static_cast<ssize_t>(request.size()));
  ::shutdown(ends[1], SHUT_WR);
  io.run();
  std::array<char, 4096> text{};
  const ssize_t size = ::read(ends[1], text.data(), text.size());
  ::close(ends[1]);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

}  // namespace

TEST_CASE("a request that nothing answers is answered 500 after a fault, and 503 without one") {
  const std::string fault = answer_of([](const HttpRequest&, const Respond&) {
    if_memory_allows("a request was refused", [] { throw std::out_of_range("too late a time"); });
  });
  CHECK(fault.starts_with("HTTP/1.1 500 "));
  CHECK(fault.find("\"internal\"") != std::string::npos);
  const std::string dropped = answer_of([](const HttpRequest&, const Respond&) {});
  CHECK(dropped.starts_with("HTTP/1.1 503 "));
}

}  // namespace http_session_test
