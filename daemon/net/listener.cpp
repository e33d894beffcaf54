#include "daemon/net/listener.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <grp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include "daemon/support/log_sink.h"
#include "daemon/support/memory_trouble.h"
#include "daemon/support/operation_memory.h"
#include "daemon/support/systemd.h"

namespace glimpse {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

template <class Protocol>
constexpr bool kIsTcp = std::is_same_v<Protocol, asio::ip::tcp>;

// A peer that vanished without a word, its machine or the way to it, is asked after by the system, and its
// connection ends: after a minute of silence, six questions that nobody answers.
constexpr int kSilence = 60;  // s
constexpr int kBetween = 10;  // s
constexpr int kQuestions = 6;

void probe_silent_peers(int socket) {
  const auto set = [socket](int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);  // where it fails it is as it was without
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kSilence);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kBetween);
  set(IPPROTO_TCP, TCP_KEEPCNT, kQuestions);
}

// The file of a Unix socket, of which this process bound the inode. What has taken its name since is somebody
// else's, and is left alone. Use remove() before the socket is closed: until then the inode's number is not
// given again.
class SocketFile {
 public:
  SocketFile() = default;
  explicit SocketFile(std::string path) : path_(std::move(path)) {
    if (::lstat(path_.c_str(), &bound_) != 0) path_.clear();
  }
  SocketFile(SocketFile&& other) noexcept : path_(std::exchange(other.path_, {})), bound_(other.bound_) {}
  SocketFile& operator=(SocketFile&&) = delete;
  ~SocketFile() { remove(); }

  void remove() {
    struct stat there{};
    if (!path_.empty() && ::lstat(path_.c_str(), &there) == 0 && S_ISSOCK(there.st_mode) &&
        there.st_dev == bound_.st_dev && there.st_ino == bound_.st_ino)
      ::unlink(path_.c_str());
    path_.clear();
  }

 private:
  std::string path_;  // empty: there is none
  struct stat bound_{};
};

template <class Protocol>
class SocketDoor final : public Listener {
 public:
  using Acceptor = typename Protocol::acceptor;
  using Socket = typename Protocol::socket;

  SocketDoor(asio::io_context& io, Acceptor acceptor, std::string address, SocketFile file,
             const DoorRules& rules, Accepted accepted)
      : acceptor_(std::move(acceptor)),
        retry_(io),
        address_(std::move(address)),
        file_(std::move(file)),
        rules_(rules),
        accepted_(std::move(accepted)) {}

  void start() override {
    acceptor_.non_blocking(true);  // who went before they were accepted are not waited for
    accept();
  }

  void stop() override {
    error_code ignored;
    file_.remove();
    acceptor_.close(ignored);
    retry_.cancel();
  }

  std::string address() const override { return address_; }

 private:
  // Takes no memory, so that the door stays open where there is none.
  void accept() {
    acceptor_.async_wait(Acceptor::wait_read,
                         asio::bind_allocator(accepting_.allocator(), [this](const error_code& error) {
                           if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
                           try {
                             take();
                           } catch (const std::bad_alloc&) {
                             note_memory_trouble("a new connection was closed at once");
                             wait();
                           }
                         }));
  }

  void take() {
    error_code error;
    Socket socket = acceptor_.accept(error);
    if (error == asio::error::would_block || error == asio::error::try_again) return accept();  // it went
    if (error) {
      ++rules_.connections.refused.descriptors;
      note_trouble(fmt::format("cannot accept connections: {}; trying again every 100 ms", error.message()));
      return wait();
    }
    if (in_trouble_) spdlog::info("{}: accepts connections again", address_);
    in_trouble_ = false;
    admit(std::move(socket));
    accept();
  }

  void admit(Socket socket) {
    error_code ignored;
    Caller caller;
    caller.is_unix = !kIsTcp<Protocol>;
    if constexpr (kIsTcp<Protocol>) {
      caller.address = socket.remote_endpoint(ignored).address().to_string();
      socket.set_option(asio::ip::tcp::no_delay(true), ignored);
      probe_silent_peers(socket.native_handle());
    }
    std::string why;
    caller.place = rules_.connections.take(caller.address, rules_.spare, why);
    if (!caller.place) {
      refusals_.warn(fmt::format("{}: a connection was turned away: {}", address_, why));
      socket.close(ignored);
      return;
    }
    if constexpr (kIsTcp<Protocol>) {
      caller.is_tls = rules_.tls != nullptr;
      if (rules_.tls != nullptr)
        return rules_.tls->carry(
            std::move(socket), caller.place,
            [accepted = accepted_, caller](StreamSocket inner) { accepted(std::move(inner), caller); },
            [this, address = caller.address](const std::string& reason) {
              ++rules_.connections.refused.tls;
              refusals_.warn(fmt::format("{}: TLS with {} failed: {}", address_, address, reason));
            });
    }
    accepted_(StreamSocket(std::move(socket)), std::move(caller));
  }

  // Once, until it is over.
  void note_trouble(const std::string& what) {
    if (!in_trouble_) spdlog::warn("{}: {}", address_, what);
    in_trouble_ = true;
  }

  // Out of descriptors or memory: accepting again at once would spin.
  void wait() {
    retry_.expires_after(std::chrono::milliseconds(100));
    try {
      retry_.async_wait(asio::bind_allocator(waiting_.allocator(), [this](const error_code& error) {
        if (!error && acceptor_.is_open()) accept();
      }));
    } catch (const std::bad_alloc&) {  // for the list of all timers, which rarely grows
      accept();
    }
  }

  Acceptor acceptor_;
  asio::steady_timer retry_;
  const OperationMemory accepting_;
  const OperationMemory waiting_;
  const std::string address_;
  SocketFile file_;  // behind the acceptor: it goes first
  const DoorRules rules_;
  const Accepted accepted_;
  bool in_trouble_ = false;
  LogLimit refusals_;
};

using Listeners = std::vector<std::unique_ptr<Listener>>;

Error cannot_listen(const std::string& option, const Address& address, const std::string& why) {
  return failure(ErrorCode::kSystem, "--{} {}: cannot listen: {}", option, address.text(), why);
}

constexpr const char* kNotLoopback =
    "is no loopback address; --allow-remote allows others, and needs --token-file FILE";

Result<gid_t> group_id(const std::string& group) {
  const struct group* const known = ::getgrnam(group.c_str());
  if (known == nullptr)
    return failure(ErrorCode::kInvalidOption, "--socket-group {}: there is no such group", group);
  return known->gr_gid;
}

Status give_to_group(const std::string& path, const std::string& group) {
  if (group.empty()) return {};
  GLIMPSE_TRY_ASSIGN(const auto id, group_id(group));
  if (::chown(path.c_str(), static_cast<uid_t>(-1), id) != 0)
    return failure(ErrorCode::kSystem, "--socket-group {}: cannot be given {}: {}", group, path,
                   std::strerror(errno));
  return {};
}

// Whether the socket at `path` is one that nobody has open any more. Only the refusal says so: a listener
// whose queue is full, and a socket of another kind or owner, are alive.
bool is_dead(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof name.sun_path) return false;
  path.copy(name.sun_path, path.size());
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  const bool refused =
      ::connect(probe, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 && errno == ECONNREFUSED;
  ::close(probe);
  return refused;
}

// Makes room for a socket: what a dead process left behind goes, all else is in the way.
Status clear_path(const std::string& option, const Address& address) {
  struct stat status{};
  if (::lstat(address.host.c_str(), &status) != 0) return {};
  if (!S_ISSOCK(status.st_mode))
    return cannot_listen(option, address, "there is a file of that name that is no socket");
  if (!is_dead(address.host)) return cannot_listen(option, address, "another process listens there");
  struct stat now{};
  // Another daemon may have put its own there meanwhile; bind() then says that the address is in use.
  if (::lstat(address.host.c_str(), &now) == 0 && now.st_dev == status.st_dev && now.st_ino == status.st_ino)
    ::unlink(address.host.c_str());
  return {};
}

Result<Listeners> open_unix(asio::io_context& io, const std::string& option, const Address& address,
                            const DoorRules& rules, const Listener::Accepted& accepted) {
  using Protocol = asio::local::stream_protocol;
  if (const Status status = clear_path(option, address); !status) return status.error();
  error_code error;
  Protocol::acceptor acceptor(io);
  acceptor.open(Protocol(), error);
  if (!error) {
    // Never open to others, not for a moment.
    const mode_t mask = ::umask(0117);
    acceptor.bind(Protocol::endpoint(address.host), error);
    ::umask(mask);
  }
  if (error) return cannot_listen(option, address, error.message());
  SocketFile file(address.host);  // removes it again where the rest fails
  if (const Status status = give_to_group(address.host, rules.socket_group); !status) return status.error();
  acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return cannot_listen(option, address, error.message());
  Listeners listeners;
  listeners.push_back(std::make_unique<SocketDoor<Protocol>>(io, std::move(acceptor), address.text(),
                                                             std::move(file), rules, accepted));
  return listeners;
}

Result<Listeners> open_tcp(asio::io_context& io, const std::string& option, const Address& address,
                           const DoorRules& rules, const Listener::Accepted& accepted) {
  using Protocol = asio::ip::tcp;
  error_code error;
  Protocol::resolver resolver(io);
  const auto endpoints = resolver.resolve(address.host, address.port, Protocol::resolver::passive, error);
  if (error || endpoints.empty()) return cannot_listen(option, address, error.message());
  const Protocol::endpoint endpoint = endpoints.begin()->endpoint();
  if (!endpoint.address().is_loopback() && !rules.allow_remote)
    return cannot_listen(option, address, kNotLoopback);
  Protocol::acceptor acceptor(io);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return cannot_listen(option, address, error.message());
  Address open = address;
  open.port = std::to_string(acceptor.local_endpoint().port());
  Listeners listeners;
  listeners.push_back(std::make_unique<SocketDoor<Protocol>>(io, std::move(acceptor), open.text(),
                                                             SocketFile(), rules, accepted));
  return listeners;
}

Result<Listeners> open_inherited(asio::io_context& io, const std::string& option, const Address& address,
                                 const DoorRules& rules, const Listener::Accepted& accepted) {
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
      listeners.push_back(std::make_unique<SocketDoor<Protocol>>(io, std::move(acceptor), address.text(),
                                                                 SocketFile(), rules, accepted));
    } else {
      using Protocol = asio::ip::tcp;
      Protocol::acceptor acceptor(io);
      acceptor.assign(name.ss_family == AF_INET6 ? Protocol::v6() : Protocol::v4(), descriptor, error);
      if (error) return cannot_listen(option, address, error.message());
      if (!acceptor.local_endpoint(error).address().is_loopback() && !rules.allow_remote)
        return cannot_listen(option, address, kNotLoopback);
      listeners.push_back(std::make_unique<SocketDoor<Protocol>>(io, std::move(acceptor), address.text(),
                                                                 SocketFile(), rules, accepted));
    }
  }
  if (listeners.empty())
    return cannot_listen(option, address,
                         "systemd passed no socket of that name (FileDescriptorName= in the socket unit)");
  return listeners;
}

}  // namespace

Status check_address(const std::string& option, const Address& address, bool allow_remote,
                     const std::string& socket_group) {
  if (!socket_group.empty())
    if (const auto id = group_id(socket_group); !id) return id.error();
  if (address.kind == Address::Kind::kUnix) {
    const std::size_t slash = address.host.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : address.host.substr(0, slash + 1);
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
      return cannot_listen(option, address, fmt::format("{}: {}", folder, std::strerror(errno)));
  }
  if (address.kind != Address::Kind::kTcp || allow_remote) return {};
  error_code error;
  const auto host = asio::ip::make_address(address.host, error);
  if (error) return {};  // a name
  return host.is_loopback() ? Status() : Status(cannot_listen(option, address, kNotLoopback));
}

Result<Listeners> open_listeners(asio::io_context& io, const std::string& option, const Address& address,
                                 const DoorRules& rules, const Listener::Accepted& accepted) {
  switch (address.kind) {
    case Address::Kind::kUnix:
      return open_unix(io, option, address, rules, accepted);
    case Address::Kind::kTcp:
      return open_tcp(io, option, address, rules, accepted);
    case Address::Kind::kSystemd:
      return open_inherited(io, option, address, rules, accepted);
  }
  return Listeners{};
}

}  // namespace glimpse
