#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>

#include "base/result.h"
#include "daemon/configuration.h"

namespace glimpse {

/// A connected socket of any family.
using StreamSocket = boost::asio::generic::stream_protocol::socket;

/// An open door: accepts connections on one address and hands them on. Survives running out of descriptors by
/// waiting a moment. A Unix socket left behind by a dead process is replaced, one that is answered is not; it
/// is made accessible to owner and group (0660) and removed at the end. All members belong to the I/O thread.
class Listener {
 public:
  using Accepted = std::function<void(StreamSocket)>;
  /// Whether one more connection may be taken.
  using Admit = std::function<bool()>;

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
                                                              const Address& address,
                                                              const Listener::Admit& admit,
                                                              const Listener::Accepted& accepted);

}  // namespace glimpse
