#include "daemon/listener.h"

#include <chrono>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include "daemon/systemd.h"

namespace glimpse {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

template <class Protocol>
class Door final : public Listener {
 public:
  using Acceptor = typename Protocol::acceptor;

  Door(asio::io_context& io, Acceptor acceptor, std::string address, std::string remove_path, Admit admit,
       Accepted accepted)
      : acceptor_(std::move(acceptor)),
        retry_(io),
        address_(std::move(address)),
        remove_path_(std::move(remove_path)),
        admit_(std::move(admit)),
        accepted_(std::move(accepted)) {}

  void start() override { accept(); }

  void stop() override {
    error_code ignored;
    acceptor_.close(ignored);
    retry_.cancel();
    if (!remove_path_.empty()) ::unlink(remove_path_.c_str());
    remove_path_.clear();
  }

  std::string address() const override { return address_; }

 private:
  void accept() {
    acceptor_.async_accept([this](const error_code& error, typename Protocol::socket socket) {
      if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
      if (error) {
        spdlog::warn("{}: cannot accept a connection: {}; trying again in 100 ms", address_, error.message());
        wait();
        return;
      }
      if (!admit_()) {
        spdlog::warn("{}: a connection was turned away: --max-connections is reached", address_);
        error_code ignored;
        socket.close(ignored);
      } else {
        if constexpr (std::is_same_v<Protocol, asio::ip::tcp>) {
          error_code ignored;
          socket.set_option(asio::ip::tcp::no_delay(true), ignored);
        }
        accepted_(StreamSocket(std::move(socket)));
      }
      accept();
    });
  }

  // Out of descriptors or memory: accepting again at once would spin.
  void wait() {
    retry_.expires_after(std::chrono::milliseconds(100));
    retry_.async_wait([this](const error_code& error) {
      if (!error && acceptor_.is_open()) accept();
    });
  }

  Acceptor acceptor_;
  asio::steady_timer retry_;
  const std::string address_;
  std::string remove_path_;
  const Admit admit_;
  const Accepted accepted_;
};

using Listeners = std::vector<std::unique_ptr<Listener>>;

Error cannot_listen(const std::string& option, const Address& address, const std::string& why) {
  return failure(ErrorCode::kSystem, "--{} {}: cannot listen: {}", option, address.text(), why);
}

// Whether somebody answers on the socket at `path`.
bool is_alive(asio::io_context& io, const std::string& path) {
  asio::local::stream_protocol::socket probe(io);
  error_code error;
  probe.connect(asio::local::stream_protocol::endpoint(path), error);
  return !error || error == asio::error::try_again;
}

Result<Listeners> open_unix(asio::io_context& io, const std::string& option, const Address& address,
                            const Listener::Admit& admit, const Listener::Accepted& accepted) {
  using Protocol = asio::local::stream_protocol;
  struct stat status{};
  if (::lstat(address.host.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode))
      return cannot_listen(option, address, "there is a file of that name that is no socket");
    if (is_alive(io, address.host)) return cannot_listen(option, address, "another process listens there");
    ::unlink(address.host.c_str());
  }
  error_code error;
  Protocol::acceptor acceptor(io);
  acceptor.open(Protocol(), error);
  if (!error) acceptor.bind(Protocol::endpoint(address.host), error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return cannot_listen(option, address, error.message());
  ::chmod(address.host.c_str(), 0660);
  Listeners listeners;
  listeners.push_back(std::make_unique<Door<Protocol>>(io, std::move(acceptor), address.text(), address.host,
                                                       admit, accepted));
  return listeners;
}

Result<Listeners> open_tcp(asio::io_context& io, const std::string& option, const Address& address,
                           const Listener::Admit& admit, const Listener::Accepted& accepted) {
  using Protocol = asio::ip::tcp;
  error_code error;
  Protocol::resolver resolver(io);
  const auto endpoints = resolver.resolve(address.host, address.port, Protocol::resolver::passive, error);
  if (error || endpoints.empty()) return cannot_listen(option, address, error.message());
  const Protocol::endpoint endpoint = endpoints.begin()->endpoint();
  if (!endpoint.address().is_loopback())
    return cannot_listen(option, address,
                         "glimpsed has no authentication yet and listens on loopback addresses only");
  Protocol::acceptor acceptor(io);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return cannot_listen(option, address, error.message());
  const std::string text = fmt::format("tcp:{}:{}", address.host, acceptor.local_endpoint().port());
  Listeners listeners;
  listeners.push_back(std::make_unique<Door<Protocol>>(io, std::move(acceptor), text, "", admit, accepted));
  return listeners;
}

Result<Listeners> open_inherited(asio::io_context& io, const std::string& option, const Address& address,
                                 const Listener::Admit& admit, const Listener::Accepted& accepted) {
  Listeners listeners;
  for (const int descriptor : inherited_sockets(address.host)) {
    sockaddr_storage name{};
    socklen_t length = sizeof name;
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&name), &length);
    error_code error;
    if (name.ss_family == AF_UNIX) {
      using Protocol = asio::local::stream_protocol;
      Protocol::acceptor acceptor(io);
      acceptor.assign(Protocol(), descriptor, error);
      if (error) return cannot_listen(option, address, error.message());
      listeners.push_back(
          std::make_unique<Door<Protocol>>(io, std::move(acceptor), address.text(), "", admit, accepted));
    } else {
      using Protocol = asio::ip::tcp;
      Protocol::acceptor acceptor(io);
      acceptor.assign(name.ss_family == AF_INET6 ? Protocol::v6() : Protocol::v4(), descriptor, error);
      if (error) return cannot_listen(option, address, error.message());
      listeners.push_back(
          std::make_unique<Door<Protocol>>(io, std::move(acceptor), address.text(), "", admit, accepted));
    }
  }
  if (listeners.empty())
    return cannot_listen(option, address,
                         "systemd passed no socket of that name (FileDescriptorName= in the socket unit)");
  return listeners;
}

}  // namespace

Result<Listeners> open_listeners(asio::io_context& io, const std::string& option, const Address& address,
                                 const Listener::Admit& admit, const Listener::Accepted& accepted) {
  switch (address.kind) {
    case Address::Kind::kUnix:
      return open_unix(io, option, address, admit, accepted);
    case Address::Kind::kTcp:
      return open_tcp(io, option, address, admit, accepted);
    case Address::Kind::kSystemd:
      return open_inherited(io, option, address, admit, accepted);
  }
  return Listeners{};
}

}  // namespace glimpse
