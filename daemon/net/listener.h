#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/result.h"
#include "daemon/net/address.h"
#include "daemon/net/connection_count.h"
#include "daemon/net/stream_socket.h"
#include "daemon/net/tls.h"

namespace glimpse {

/// Who is at the other end.
struct Caller {
  bool is_unix = false;
  std::string address;  ///< without the port; empty on a Unix socket
  ConnectionCount::Place place;
  bool is_tls = false;
};

/// What doors have in common.
struct DoorRules {
  ConnectionCount&
      connections;            ///< must outlive the io_context, whose last handlers give back what they hold
  bool allow_remote = false;  ///< listen on addresses that are not loopback ones
  std::string socket_group;   ///< of Unix sockets; empty: the process' own
  std::size_t spare = 0;      ///< places beyond the limit for connections that this door may take
  TlsKeeper* tls = nullptr;   ///< of TCP doors; nullptr: plain text. Must outlive the doors
};

/// What can be told of a door without opening it: the group, the folder of a Unix socket, whether an address
/// is open to other machines. Errors: those of opening it.
Status check_address(const std::string& option, const Address& address, bool allow_remote,
                     const std::string& socket_group);

/// An open door: accepts connections on one address and hands them on, through TLS where the rules say so.
/// Survives running out of descriptors by waiting a moment, and turns away whom ConnectionCount refuses. A
/// Unix socket left behind by a dead process is replaced, any other is not. The new one is accessible to
/// owner and group (0660). It is removed at the end, unless something else has taken its path since. A TCP
/// connection whose peer vanished without a word ends by itself after two minutes. All members belong to the
/// I/O thread.
class Listener {
 public:
  using Accepted = std::function<void(StreamSocket, Caller)>;

  virtual ~Listener() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
  /// Where it listens, with the port that the system chose for port 0.
  virtual std::string address() const = 0;
};

/// Opens every socket of `address` (systemd may pass several under one name). Errors (kSystem) name the
/// option and the address.
Result<std::vector<std::unique_ptr<Listener>>> open_listeners(boost::asio::io_context& io,
                                                              const std::string& option,
                                                              const Address& address, const DoorRules& rules,
                                                              const Listener::Accepted& accepted);

}  // namespace glimpse
