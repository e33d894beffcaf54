#include "glimpsectl/client/tls_session.h"

#include <cstdio>
#include <doctest/doctest.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <unistd.h>

namespace tls_session_test {

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

// A server without a socket.
class Server {
 public:
  explicit Server(long until = 3600)
      : key_(EVP_EC_gen("P-256")), certificate_(certificate_of(key_.get(), -7200, until)) {
    SSL_CTX_use_certificate(context_.get(), certificate_.get());
    SSL_CTX_use_PrivateKey(context_.get(), key_.get());
    session_.reset(SSL_new(context_.get()));
    SSL_set_bio(session_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(session_.get());
    static int servers = 0;
    path_ = fmt::format("/tmp/glimpsectl-tls-{}-{}.pem", ::getpid(), ++servers);
    std::FILE* const file = std::fopen(path_.c_str(), "w");
    PEM_write_X509(file, certificate_.get());
    std::fclose(file);
  }
  ~Server() { std::remove(path_.c_str()); }

  ServerAddress address(const std::string& host = "localhost") const {
    ServerAddress address = parse_server_address("tls:" + host + ":9318").value();
    address.authorities = path_;
    return address;
  }

  // Carries what the client has to say, a byte at a time, and the answer back.
  void exchange(TlsSession& client) {
    for (; !client.output().empty(); client.sent(1))
      BIO_write(SSL_get_rbio(session_.get()), client.output().data(), 1);
    SSL_do_handshake(session_.get());
    for (char byte = 0; BIO_read(SSL_get_wbio(session_.get()), &byte, 1) == 1;)
      client.take(std::string_view(&byte, 1));
  }

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
  void end() { SSL_shutdown(session_.get()); }

 private:
  Key key_;
  Certificate certificate_;
  std::unique_ptr<SSL_CTX, Freed<SSL_CTX, SSL_CTX_free>> context_{SSL_CTX_new(TLS_server_method())};
  std::unique_ptr<SSL, Freed<SSL, SSL_free>> session_;
  std::string path_;
};

Status shake_hands(TlsSession& client, Server& server) {
  for (int round = 0; round < 10; ++round) {
    const auto done = client.shake_hands();
    if (!done) return done.error();
    if (*done) {
      server.exchange(client);
      return {};
    }
    server.exchange(client);
  }
  return failure(ErrorCode::kSystem, "no end of the handshake");
}

std::string read_all(TlsSession& client) {
  std::string text;
  char bytes[7];
  for (auto got = client.read(bytes); got && got->count > 0; got = client.read(bytes))
    text.append(bytes, got->count);
  return text;
}

std::string refusal(Server& server, const ServerAddress& address) {
  const auto trust = TlsTrust::open(address).value();
  TlsSession client(*trust);
  const Status status = shake_hands(client, server);
  return status ? "" : status.error().message;
}

}  // namespace

TEST_CASE("bytes go both ways, whatever pieces they come in, and one side may end before the other") {
  Server server;
  const auto trust = TlsTrust::open(server.address()).value();
  TlsSession client(*trust);
  REQUIRE(shake_hands(client, server).has_value());
  CHECK(client.read(std::span<char>()).value().count == 0);

  CHECK(client.write("one\n").value() == 4);
  server.exchange(client);
  CHECK(server.read() == "one\n");
  client.end_writing();
  server.exchange(client);
  CHECK(server.read().empty());
  CHECK(server.client_ended());
  server.write("resume 0\ndurable 1\n");
  server.end();
  server.exchange(client);
  CHECK(read_all(client) == "resume 0\ndurable 1\n");
  char byte = 0;
  CHECK(client.read(std::span(&byte, 1)).value().is_end);
}

TEST_CASE("no more is taken than the connection takes") {
  Server server;
  const auto trust = TlsTrust::open(server.address()).value();
  TlsSession client(*trust);
  REQUIRE(shake_hands(client, server).has_value());
  const std::string much(1 << 20, 'x');
  std::size_t taken = 0;
  while (const std::size_t count = client.write(std::string_view(much).substr(taken)).value()) taken += count;
  CHECK(taken > 0);
  CHECK(taken < much.size());
  CHECK(client.output().size() < 2 * taken);
  server.exchange(client);
  CHECK(client.write("more").value() == 4);
}

TEST_CASE("an end without a word is an end, and in a handshake a failure") {
  Server server;
  const auto trust = TlsTrust::open(server.address()).value();
  TlsSession client(*trust);
  REQUIRE(shake_hands(client, server).has_value());
  client.take_end();
  char byte = 0;
  CHECK(client.read(std::span(&byte, 1)).value().is_end);

  TlsSession other(*trust);
  CHECK_FALSE(other.shake_hands().value());
  other.take_end();
  const auto failed = other.shake_hands();
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().code == ErrorCode::kUnavailable);
  CHECK(failed.error().message ==
        "tls:localhost:9318 broke off the TLS handshake: it closed the connection; where it does not speak "
        "TLS, "
        "name it tcp:localhost:9318");
}

TEST_CASE("what is no TLS is told, and how to name it") {
  Server server;
  for (const char* answer : {"HTTP/1.1 400 Bad Request\r\n", "error: a TLS handshake came; closing\n"}) {
    const auto trust = TlsTrust::open(server.address()).value();
    TlsSession client(*trust);
    CHECK_FALSE(client.shake_hands().value());
    client.take(answer);
    const auto failed = client.shake_hands();
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error().code == ErrorCode::kInvalidOption);
    CHECK(failed.error().message == "tls:localhost:9318 does not speak TLS: name it tcp:localhost:9318");
  }
}

TEST_CASE("a certificate for another name, of another authority or another time is not trusted") {
  Server server;
  CHECK(refusal(server, server.address("otherhost")) ==
        "tls:otherhost:9318 is not trusted: its certificate is for DNS:localhost, and not for otherhost: "
        "name the "
        "server as its certificate does");
  Server stranger;
  ServerAddress address = server.address();
  address.authorities.clear();
  CHECK(
      refusal(stranger, address).find("is signed by /CN=test, which this machine does not know: --ca FILE") !=
      std::string::npos);
  Server old(-3600);
  CHECK(refusal(old, old.address()).find("is not trusted: its certificate expired at ") != std::string::npos);
}

}  // namespace tls_session_test
