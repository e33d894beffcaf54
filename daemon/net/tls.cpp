#include "daemon/net/tls.h"

#include <array>
#include <fmt/format.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "base/secret_file.h"

namespace glimpse {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;

namespace {

constexpr std::size_t kPiece = std::size_t{16} << 10;  // what a record of TLS holds at most
constexpr std::chrono::seconds kGoodbye{5};            // for the client to take its last bytes
// Of TLS 1.2: those with keys of their own for each connection, which who has the server's later cannot find
// out, and with authenticated encryption. TLS 1.3 has no others.
constexpr const char* kCipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20";

// One client: two loops, each with at most one operation under way.
class Carrier : public std::enable_shared_from_this<Carrier> {
 public:
  Carrier(asio::io_context& io, asio::ip::tcp::socket client, ssl::context& context,
          ConnectionCount::Place place)
      : io_(io), outside_(std::move(client), context), inside_(io), limit_(io), place_(std::move(place)) {}

  void start(std::chrono::milliseconds timeout, TlsKeeper::Accepted accepted, TlsKeeper::Failed failed) {
    timeout_ = timeout;
    end_after(timeout);
    outside_.async_handshake(ssl::stream_base::server,
                             [self = shared_from_this(), accepted = std::move(accepted),
                              failed = std::move(failed)](const error_code& error) {
                               self->limit_.cancel();
                               if (error) {
                                 failed(self->timed_out_ ? "it took too long" : error.message());
                                 self->answer_plain_text();
                                 return self->close();
                               }
                               self->connect(accepted, failed);
                             });
  }

 private:
  // OpenSSL says nothing to what does not look like TLS. A client that sent little of it, and closed its
  // side, could take the silent end for success.
  void answer_plain_text() {
    if (timed_out_ || BIO_number_written(SSL_get_wbio(outside_.native_handle())) > 0) return;
    constexpr unsigned char kAlert[] = {21, 3, 1, 0,
                                        2,  2, 70};  // of TLS 1.0, two bytes: fatal, protocol_version
    [[maybe_unused]] const auto sent =
        ::send(outside_.next_layer().native_handle(), kAlert, sizeof kAlert, MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  void connect(const TlsKeeper::Accepted& accepted, const TlsKeeper::Failed& failed) {
    using Local = asio::local::stream_protocol;
    Local::socket door(io_);
    error_code error;
    asio::local::connect_pair(inside_, door, error);
    if (error) {
      failed(error.message());
      return close();
    }
    accepted(StreamSocket(std::move(door)));
    // A client that takes nothing would keep its place for good although the door is done with it.
    inside_.async_wait(Local::socket::wait_error, [self = shared_from_this()](const error_code& failed) {
      if (failed || !self->inside_.is_open()) return;
      self->door_closed_ = true;
      self->end_after(self->timeout_);
    });
    read_outside();
    read_inside();
  }

  void read_outside() {
    outside_.async_read_some(asio::buffer(from_outside_),
                             [self = shared_from_this()](const error_code& error, std::size_t size) {
                               if (error) return self->end_inside();
                               self->write_inside(size);
                             });
  }
  void write_inside(std::size_t size) {
    asio::async_write(inside_, asio::buffer(from_outside_, size),
                      [self = shared_from_this()](const error_code& error, std::size_t) {
                        if (!error) self->read_outside();  // else the door is closed, and the other loop ends
                      });
  }
  // Nothing more comes from the client, or what comes is no TLS any more.
  void end_inside() {
    error_code ignored;
    inside_.shutdown(asio::socket_base::shutdown_send, ignored);
  }

  void read_inside() {
    inside_.async_read_some(asio::buffer(from_inside_),
                            [self = shared_from_this()](const error_code& error, std::size_t size) {
                              if (error) return self->say_goodbye();
                              self->write_outside(size);
                            });
  }
  void write_outside(std::size_t size) {
    asio::async_write(outside_, asio::buffer(from_inside_, size),
                      [self = shared_from_this()](const error_code& error, std::size_t) {
                        if (error) return self->close();
                        if (self->door_closed_) self->end_after(self->timeout_);
                        self->read_inside();
                      });
  }
  void say_goodbye() {
    end_after(kGoodbye);
    outside_.async_shutdown([self = shared_from_this()](const error_code&) {
      self->limit_.cancel();
      self->close();
    });
  }

  void end_after(std::chrono::milliseconds time) {
    limit_.expires_after(time);
    limit_.async_wait([weak = weak_from_this()](const error_code& error) {
      const auto self = weak.lock();
      if (!self || error) return;
      self->timed_out_ = true;
      self->close();
    });
  }

  void close() {
    error_code ignored;
    outside_.lowest_layer().close(ignored);
    inside_.close(ignored);
  }

  asio::io_context& io_;
  ssl::stream<asio::ip::tcp::socket> outside_;
  asio::local::stream_protocol::socket inside_;
  asio::steady_timer limit_;
  const ConnectionCount::Place place_;
  std::chrono::milliseconds timeout_{};
  bool timed_out_ = false;
  bool door_closed_ = false;
  std::array<char, kPiece> from_outside_;
  std::array<char, kPiece> from_inside_;
};

Error refuse_file(const char* option, const std::string& file, const error_code& error) {
  return failure(ErrorCode::kInvalidOption, "--{} {}: {}", option, file, error.message());
}

}  // namespace

class TlsKeeper::Context : public ssl::context {
 public:
  Context() : ssl::context(ssl::context::tls_server) {}
};

TlsKeeper::TlsKeeper(asio::io_context& io, std::string certificate, std::string key)
    : io_(io), certificate_(std::move(certificate)), key_(std::move(key)) {}

TlsKeeper::~TlsKeeper() = default;

Result<std::unique_ptr<TlsKeeper>> TlsKeeper::open(asio::io_context& io, std::string certificate,
                                                   std::string key, std::chrono::milliseconds timeout) {
  std::unique_ptr<TlsKeeper> keeper(new TlsKeeper(io, std::move(certificate), std::move(key)));
  if (const Status status = keeper->reload(timeout); !status) return status.error();
  return keeper;
}

Status TlsKeeper::reload(std::chrono::milliseconds timeout) {
  auto context = std::make_shared<Context>();
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native,
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  if (SSL_CTX_set_cipher_list(native, kCipherSuites) != 1)
    return failure(ErrorCode::kInvalidOption, "--tls-cert {}: OpenSSL has none of the cipher suites {}",
                   certificate_, kCipherSuites);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);  // idle connections keep none
  error_code error;
  // Without one OpenSSL would ask on the terminal, or take its answer out of standard input.
  const auto asked = std::make_shared<bool>(false);
  context->set_password_callback(
      [asked](std::size_t, ssl::context::password_purpose) {
        *asked = true;
        return std::string();
      },
      error);
  context->use_certificate_chain_file(certificate_, error);
  if (error) return refuse_file("tls-cert", certificate_, error);
  if (const Status status = check_secret_file("tls-key", key_); !status) return status.error();
  context->use_private_key_file(key_, ssl::context::pem, error);
  if (*asked)
    return failure(ErrorCode::kInvalidOption,
                   "--tls-key {}: is encrypted; glimpsed takes keys without a passphrase only", key_);
  if (error) return refuse_file("tls-key", key_, error);
  context_ = std::move(context);
  timeout_ = timeout;
  return {};
}

void TlsKeeper::carry(asio::ip::tcp::socket client, ConnectionCount::Place place, Accepted accepted,
                      Failed failed) {
  std::make_shared<Carrier>(io_, std::move(client), *context_, std::move(place))
      ->start(timeout_, std::move(accepted), std::move(failed));
}

}  // namespace glimpse
