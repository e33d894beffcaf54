#include "glimpsectl/client/stream_link.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "glimpsectl/format/units.h"

namespace glimpse::ctl {

namespace {

constexpr std::size_t kMostLine = std::size_t{1} << 20;

// 0, or why not.
int connect_within(int socket, const sockaddr* address, socklen_t length, std::chrono::milliseconds timeout) {
  if (::connect(socket, address, length) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd writable{socket, POLLOUT, 0};
  if (::poll(&writable, 1, static_cast<int>(timeout.count())) == 0) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

}  // namespace

Result<StreamLink> StreamLink::connect(const ServerAddress& address, std::chrono::milliseconds timeout) {
  int error = 0;
  const auto attempt = [&](int family, const sockaddr* to, socklen_t length) {
    const int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    error = socket < 0 ? errno : connect_within(socket, to, length, timeout);
    if (error == 0) return socket;
    if (socket >= 0) ::close(socket);
    return -1;
  };
  int socket = -1;
  if (address.is_unix()) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    address.path.copy(to.sun_path, sizeof to.sun_path - 1);
    socket = attempt(AF_UNIX, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  } else {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int bad = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found); bad != 0)
      return failure(ErrorCode::kUnavailable, "cannot find the host of {}: {}", address.text,
                     ::gai_strerror(bad));
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
    for (const addrinfo* to = found; to != nullptr && socket < 0; to = to->ai_next)
      socket = attempt(to->ai_family, to->ai_addr, to->ai_addrlen);
  }
  if (socket < 0)
    return failure(ErrorCode::kUnavailable, "cannot connect to {}: {}", address.text, std::strerror(error));
  return StreamLink(socket, address.text);
}

StreamLink::StreamLink(StreamLink&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      text_(std::move(other.text_)),
      read_(std::move(other.read_)),
      is_closed_(other.is_closed_) {}

StreamLink::~StreamLink() {
  if (socket_ >= 0) ::close(socket_);
}

Error StreamLink::lost(std::string_view why) const {
  return failure(ErrorCode::kUnavailable, "lost the connection to {}: {}", text_, why);
}

void StreamLink::wait(bool writes, int other, std::chrono::milliseconds limit) const {
  std::array<pollfd, 2> descriptors{
      {{socket_, static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0}, {other, POLLIN, 0}}};
  ::poll(descriptors.data(), descriptors.size(), static_cast<int>(limit.count()));
}

Result<std::size_t> StreamLink::write(std::string_view bytes) const {
  const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return std::size_t{0};
  return lost(std::strerror(errno));
}

void StreamLink::end_writing() const { ::shutdown(socket_, SHUT_WR); }

Result<std::optional<std::string>> StreamLink::line() {
  for (;;) {
    if (const std::size_t end = read_.find('\n'); end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return std::optional<std::string>(std::move(line));
    }
    if (read_.size() > kMostLine) return lost("it does not send lines");
    std::array<char, 4096> bytes;
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    is_closed_ = count == 0;
    if (is_closed_) return lost("it was closed");
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
      return std::optional<std::string>();
    if (count < 0) return lost(std::strerror(errno));
    read_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace glimpse::ctl
