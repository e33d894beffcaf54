#include "glimpsectl/client/client_socket.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace glimpse::ctl {

namespace {

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

bool is_for_now(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

Error reason(int error) { return Error{ErrorCode::kUnavailable, std::strerror(error)}; }

}  // namespace

Result<ClientSocket> ClientSocket::connect(const ServerAddress& server, std::chrono::milliseconds timeout) {
  int error = 0;
  const auto attempt = [&](int family, const sockaddr* to, socklen_t length) {
    const int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    error = socket < 0 ? errno : connect_within(socket, to, length, timeout);
    if (error == 0) return socket;
    if (socket >= 0) ::close(socket);
    return -1;
  };
  int socket = -1;
  if (server.is_unix()) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    server.path.copy(to.sun_path, sizeof to.sun_path - 1);
    socket = attempt(AF_UNIX, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  } else {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int bad = ::getaddrinfo(server.host.c_str(), server.port.c_str(), &hints, &found); bad != 0)
      return failure(ErrorCode::kUnavailable, "cannot find the host of {}: {}", server.text,
                     ::gai_strerror(bad));
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
    for (const addrinfo* to = found; to != nullptr && socket < 0; to = to->ai_next)
      socket = attempt(to->ai_family, to->ai_addr, to->ai_addrlen);
  }
  if (socket < 0)
    return failure(ErrorCode::kUnavailable, "cannot connect to {}: {}", server.text, std::strerror(error));
  return ClientSocket(socket);
}

ClientSocket::~ClientSocket() {
  if (socket_ >= 0) ::close(socket_);
}

void ClientSocket::wait(bool writes, int other, std::chrono::milliseconds limit) const {
  std::array<pollfd, 2> descriptors{
      {{socket_, static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0}, {other, POLLIN, 0}}};
  ::poll(descriptors.data(), descriptors.size(), static_cast<int>(limit.count()));
}

Result<std::size_t> ClientSocket::write(std::string_view bytes) const {
  const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (is_for_now(errno)) return std::size_t{0};
  return reason(errno);
}

void ClientSocket::end_writing() const { ::shutdown(socket_, SHUT_WR); }

Result<ClientSocket::Read> ClientSocket::read(std::span<char> into) const {
  const ssize_t count = ::recv(socket_, into.data(), into.size(), 0);
  if (count >= 0) return Read{static_cast<std::size_t>(count), count == 0};
  if (is_for_now(errno)) return Read{};
  return reason(errno);
}

}  // namespace glimpse::ctl
