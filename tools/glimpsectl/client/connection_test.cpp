#include "glimpsectl/client/connection.h"

#include <cstdio>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace connection_test {

using namespace glimpse;
using namespace glimpse::ctl;

namespace {

template <class T, void (*Free)(T*)>
struct Freed {
  void operator()(T* it) const { Free(it); }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;

// Signed by itself, for localhost; valid from `from` to `until`, in seconds from now.
Certificate certificate_of(EVP_PKEY* key, long from = -60, long until = 3600) {
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), from);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), until);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1, -1,
                             0);
  X509_set_issuer_name(certificate.get(), name);
  X509_EXTENSION* const names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost");
  X509_add_ext(certificate.get(), names, -1);
  X509_EXTENSION_free(names);
  X509_sign(certificate.get(), key, EVP_sha256());
  return certificate;
}

constexpr std::chrono::seconds kPatience{10};

// A server at the other end of a pair of sockets, which a thread may use.
class Server {
 public:
  explicit Server(long until = 3600)
      : key_(EVP_EC_gen("P-256")), certificate_(certificate_of(key_.get(), -7200, until)) {
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets_) == 0);
    SSL_CTX_use_certificate(context_.get(), certificate_.get());
    SSL_CTX_use_PrivateKey(context_.get(), key_.get());
    session_.reset(SSL_new(context_.get()));
    SSL_set_fd(session_.get(), sockets_[1]);
    static int servers = 0;
    path_ = fmt::format("/tmp/glimpsectl-tls-{}-{}.pem", ::getpid(), ++servers);
    std::FILE* const file = std::fopen(path_.c_str(), "w");
    PEM_write_X509(file, certificate_.get());
    std::fclose(file);
  }
  ~Server() {
    close();
    std::remove(path_.c_str());
  }

  ServerAddress address(const std::string& host = "localhost") const {
    ServerAddress address = parse_server_address("tls:" + host + ":9318").value();
    address.authorities = path_;
    return address;
  }

  // The client, after both have shaken hands, or why it would not; without `answers` nobody does.
  Result<std::unique_ptr<Connection>> connect(const ServerAddress& address, bool answers = true,
                                              std::chrono::milliseconds patience = kPatience) {
    ::fcntl(sockets_[0], F_SETFL, O_NONBLOCK);
    std::thread server([&] {
      if (answers) SSL_accept(session_.get());
    });
    auto client = Connection::over(sockets_[0], address, patience, TlsTrust::open(address).value(), "GET /");
    server.join();
    return client;
  }

  // What has come, at least a byte, unless the client has ended.
  std::string read() {
    std::string text(65536, '\0');
    const int count = SSL_read(session_.get(), text.data(), static_cast<int>(text.size()));
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
  }
  bool client_ended() const { return (SSL_get_shutdown(session_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }
  void write(const std::string& text) {
    SSL_write(session_.get(), text.data(), static_cast<int>(text.size()));
  }
  void write_plain(std::string_view text) { REQUIRE(::send(sockets_[1], text.data(), text.size(), 0) > 0); }
  void end() { SSL_shutdown(session_.get()); }
  void close() {
    if (sockets_[1] >= 0) ::close(std::exchange(sockets_[1], -1));
  }
  // No more is sent, without a word of TLS.
  void break_off() { ::shutdown(sockets_[1], SHUT_WR); }

 private:
  int sockets_[2];
  Key key_;
  Certificate certificate_;
  std::unique_ptr<SSL_CTX, Freed<SSL_CTX, SSL_CTX_free>> context_{SSL_CTX_new(TLS_server_method())};
  std::unique_ptr<SSL, Freed<SSL, SSL_free>> session_;
  std::string path_;
};

std::string refusal(Server& server, const ServerAddress& address) {
  const auto client = server.connect(address);
  return client ? "" : client.error().message;
}

}  // namespace

TEST_CASE("bytes go both ways, whatever pieces they come in, and one side may end before the other") {
  Server server;
  const auto client = server.connect(server.address()).value();
  char piece[7];
  CHECK(client->read(piece).value().count == 0);
  CHECK_FALSE(client->read(piece).value().is_end);

  CHECK(client->write("one\n").value() == 4);
  CHECK(server.read() == "one\n");
  client->end_writing();
  CHECK(server.read().empty());
  CHECK(server.client_ended());
  server.write("resume 0\ndura");
  server.write("ble 1\nla");
  server.end();
  CHECK(client->line().value() == "resume 0");
  CHECK(client->line().value() == "durable 1");
  CHECK_FALSE(client->is_closed());
  CHECK(client->line().error().message == "lost the connection to tls:localhost:9318: it was closed");
  CHECK(client->is_closed());
}

TEST_CASE("no more is taken than the connection takes, and the end waits for its turn") {
  Server server;
  const auto client = server.connect(server.address()).value();
  const std::string much(1 << 22, 'x');
  std::size_t taken = 0;
  while (const std::size_t count = client->write(std::string_view(much).substr(taken)).value())
    taken += count;
  CHECK(taken > 0);
  CHECK(taken < much.size());
  std::size_t got = 0;
  std::thread reader([&] {
    while (const std::size_t count = server.read().size()) got += count;
    server.end();
  });
  while (taken < much.size()) {
    client->wait(true, -1, kPatience);
    taken += client->write(std::string_view(much).substr(taken)).value();
  }
  client->end_writing();
  char byte = 0;
  while (!client->read(std::span(&byte, 1)).value().is_end) client->wait(false, -1, kPatience);
  reader.join();
  CHECK(got == much.size());
}

TEST_CASE("an end without a word is an end, and in a handshake a failure") {
  Server server;
  const auto client = server.connect(server.address()).value();
  server.break_off();
  char byte = 0;
  CHECK(client->read(std::span(&byte, 1)).value().is_end);

  Server other;
  other.break_off();
  const auto failed = other.connect(other.address(), false);
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().code == ErrorCode::kUnavailable);
  CHECK(failed.error().message ==
        "tls:localhost:9318 broke off the TLS handshake: it closed the connection; where it does not speak "
        "TLS, name it tcp:localhost:9318");
}

TEST_CASE("a handshake that nobody answers ends in time") {
  Server server;
  const auto failed = server.connect(server.address(), false, std::chrono::milliseconds(50));
  CHECK(failed.error().message == "tls:localhost:9318: no answer to GET / within 50 ms (--timeout)");
}

TEST_CASE("writing to a server that is gone is an error and no signal") {
  Server server;
  const auto client = server.connect(server.address()).value();
  server.close();
  CHECK(client->write("one\n").error().message == "lost the connection to tls:localhost:9318: Broken pipe");
}

TEST_CASE("what is no TLS is told, and how to name it") {
  for (const char* answer : {"HTTP/1.1 400 Bad Request\r\n", "error: a TLS handshake came; closing\n"}) {
    Server server;
    server.write_plain(answer);
    const auto failed = server.connect(server.address(), false);
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error().code == ErrorCode::kInvalidOption);
    CHECK(failed.error().message == "tls:localhost:9318 does not speak TLS: name it tcp:localhost:9318");
  }
}

TEST_CASE("a certificate for another name, of another authority or another time is not trusted") {
  Server server;
  CHECK(refusal(server, server.address("otherhost")) ==
        "tls:otherhost:9318 is not trusted: its certificate is for DNS:localhost, and not for otherhost: "
        "name the server as its certificate does");
  Server stranger;
  ServerAddress address = stranger.address();
  address.authorities.clear();
  CHECK(
      refusal(stranger, address).find("is signed by /CN=test, which this machine does not know: --ca FILE") !=
      std::string::npos);
  Server old(-3600);
  CHECK(refusal(old, old.address()).find("is not trusted: its certificate expired at ") != std::string::npos);
}

}  // namespace connection_test
