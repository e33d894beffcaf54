#include "glimpsectl/client/http_test_support.h"

#include <filesystem>
#include <fmt/core.h>
#include <memory>
#include <stdlib.h>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace glimpse::ctl {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Local = asio::local::stream_protocol;

TestServer::TestServer(Answer answer, Kind kind) : answer_(std::move(answer)) {
  auto context = std::make_shared<asio::io_context>();
  if (kind == Kind::kTcp) {
    auto acceptor =
        std::make_shared<tcp::acceptor>(*context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    address_ =
        parse_server_address(fmt::format("tcp:127.0.0.1:{}", acceptor->local_endpoint().port())).value();
    thread_ = std::thread([this, context, acceptor] { serve(*acceptor); });
    return;
  }
  std::string pattern = (std::filesystem::temp_directory_path() / "glimpsectl-XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
  address_ = parse_server_address("unix:" + folder_ + "/http.sock").value();
  auto acceptor = std::make_shared<Local::acceptor>(*context, Local::endpoint(address_.path));
  thread_ = std::thread([this, context, acceptor] { serve(*acceptor); });
}

TestServer::~TestServer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  // Wakes the accept. A connection that cannot be made means that the thread is gone already.
  asio::io_context context;
  boost::system::error_code ignored;
  if (address_.is_unix()) {
    Local::socket socket(context);
    socket.connect(Local::endpoint(address_.path), ignored);
  } else {
    tcp::socket socket(context);
    const auto port = static_cast<std::uint16_t>(std::stoi(address_.port));
    socket.connect({asio::ip::address_v4::loopback(), port}, ignored);
  }
  thread_.join();
  if (!folder_.empty()) std::filesystem::remove_all(folder_);
}

std::vector<TestRequest> TestServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

template <class Acceptor>
void TestServer::serve(Acceptor& acceptor) {
  std::vector<typename Acceptor::protocol_type::socket> silent;  // kept open until the end
  for (;;) {
    auto socket = acceptor.accept();
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    boost::beast::flat_buffer buffer;
    http::request_parser<http::string_body> parser;
    boost::system::error_code error;
    http::read(socket, buffer, parser, error);  // up to Beast's limit of 1 MB
    const bool too_large = error == http::error::body_limit;
    if (error && !too_large) continue;
    const auto& message = parser.get();
    const TestRequest request{std::string(message.method_string()), std::string(message.target()),
                              std::string(message[http::field::content_type]), message.body()};
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    const auto bytes = answer_(request);
    if (bytes) {
      asio::write(socket, asio::buffer(*bytes), error);
      if (too_large) socket.shutdown(asio::socket_base::shutdown_both, error);
    } else {
      silent.push_back(std::move(socket));
    }
  }
}

std::string http_reply(unsigned status, std::string_view body, std::string_view type) {
  return fmt::format("HTTP/1.1 {} X\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n{}", status, type,
                     body.size(), body);
}

}  // namespace glimpse::ctl
