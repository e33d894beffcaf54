#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "glimpsectl/client/server_address.h"

namespace glimpse::ctl {

/// What a TestServer was asked.
struct TestRequest {
  std::string method;
  std::string target;
  std::string content_type;
  std::string body;
};

/// An HTTP server in this process, on the loopback or on a socket in a folder of its own, that says what the
/// test wants, be it HTTP or not. Answers one connection at a time, on its own thread, and closes it.
/// Reads no more than 1 MB of a body.
class TestServer {
 public:
  /// The bytes to answer with; nothing: never answer. Called on the server's thread.
  using Answer = std::function<std::optional<std::string>(const TestRequest&)>;
  enum class Kind { kTcp, kUnix };

  explicit TestServer(Answer answer, Kind kind = Kind::kTcp);
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  const ServerAddress& address() const { return address_; }
  /// The requests so far.
  std::vector<TestRequest> requests() const;

 private:
  template <class Acceptor>
  void serve(Acceptor& acceptor);

  const Answer answer_;
  ServerAddress address_;
  std::string folder_;
  mutable std::mutex mutex_;
  std::vector<TestRequest> requests_;  // guarded by mutex_
  bool stopping_ = false;              // guarded by mutex_
  std::thread thread_;
};

/// An HTTP response, as bytes.
std::string http_reply(unsigned status, std::string_view body, std::string_view type = "application/json");

}  // namespace glimpse::ctl
