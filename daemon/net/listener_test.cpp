#include "daemon/net/listener.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <sys/socket.h>

namespace glimpse::listener_test {

namespace asio = boost::asio;

namespace {

int option_of(StreamSocket& socket, int level, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  CHECK(::getsockopt(socket.native_handle(), level, option, &value, &size) == 0);
  return value;
}

}  // namespace

TEST_CASE("the system asks after the peers of TCP connections that are silent") {
  ConnectionCount connections;
  connections.limit = 10;
  asio::io_context io;
  Address address;
  address.kind = Address::Kind::kTcp;
  address.host = "127.0.0.1";
  address.port = "0";
  std::optional<StreamSocket> accepted;
  std::string caller_address;
  const auto listeners = open_listeners(io, "listen", address, {connections, false, "", 0, nullptr},
                                        [&](StreamSocket socket, const Caller& caller) {
                                          accepted = std::move(socket);
                                          caller_address = caller.address;
                                          io.stop();
                                        });
  REQUIRE(listeners.has_value());
  REQUIRE(listeners->size() == 1);
  listeners->front()->start();
  const std::string text = listeners->front()->address();
  const int port = std::atoi(text.substr(text.rfind(':') + 1).c_str());
  asio::ip::tcp::socket client(io);
  client.connect({asio::ip::make_address("127.0.0.1"), static_cast<asio::ip::port_type>(port)});
  io.run();

  REQUIRE(accepted.has_value());
  CHECK(caller_address == "127.0.0.1");
  CHECK(option_of(*accepted, SOL_SOCKET, SO_KEEPALIVE) == 1);
  CHECK(option_of(*accepted, IPPROTO_TCP, TCP_KEEPIDLE) == 60);
  CHECK(option_of(*accepted, IPPROTO_TCP, TCP_KEEPINTVL) == 10);
  CHECK(option_of(*accepted, IPPROTO_TCP, TCP_KEEPCNT) == 6);
}

}  // namespace glimpse::listener_test
