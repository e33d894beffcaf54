#include "glimpsectl/client/tls_session.h"

#include <algorithm>
#include <array>
#include <new>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace glimpse::ctl {

namespace {

constexpr std::size_t kPiece = std::size_t{16} << 10;  // what a record of TLS holds at most
constexpr std::size_t kMostOutput = 4 * kPiece;

unsigned long last_reason() { return ERR_peek_last_error(); }

}  // namespace

void TlsSession::Free::operator()(SSL* session) const { SSL_free(session); }

TlsSession::TlsSession(TlsTrust& trust) : trust_(trust), session_(SSL_new(trust.context().native_handle())) {
  BIO* const in = BIO_new(BIO_s_mem());
  BIO* const out = BIO_new(BIO_s_mem());
  if (!session_ || in == nullptr || out == nullptr) throw std::bad_alloc();
  SSL_set_bio(session_.get(), in, out);  // owns them
  SSL_set_connect_state(session_.get());
  SSL_set_mode(session_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  trust_.prepare(session_.get());
}

void TlsSession::take(std::string_view bytes) {
  if (BIO_write(SSL_get_rbio(session_.get()), bytes.data(), static_cast<int>(bytes.size())) !=
      static_cast<int>(bytes.size()))
    throw std::bad_alloc();
}

void TlsSession::collect_output() {
  std::array<char, 4096> bytes;
  for (int count = 0; (count = BIO_read(SSL_get_wbio(session_.get()), bytes.data(), bytes.size())) > 0;)
    output_.append(bytes.data(), static_cast<std::size_t>(count));
}

Result<bool> TlsSession::shake_hands() {
  ERR_clear_error();
  const int done = SSL_do_handshake(session_.get());
  const int error = SSL_get_error(session_.get(), done);
  const unsigned long reason = last_reason();
  collect_output();
  if (done == 1) return true;
  if (error == SSL_ERROR_WANT_READ && !has_ended_) return false;
  return trust_.explain(error == SSL_ERROR_SSL ? reason : 0, "it closed the connection");
}

Error TlsSession::broken() const {
  const char* const text = ERR_reason_error_string(last_reason());
  return Error{ErrorCode::kUnavailable, text == nullptr ? "TLS was broken off" : text};
}

Result<std::size_t> TlsSession::write(std::string_view bytes) {
  if (output_.size() > kMostOutput || bytes.empty()) return std::size_t{0};
  ERR_clear_error();
  std::size_t written = 0;
  const int done = SSL_write_ex(session_.get(), bytes.data(), std::min(bytes.size(), kPiece), &written);
  const int error = SSL_get_error(session_.get(), done);
  collect_output();
  if (done == 1) return written;
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return std::size_t{0};
  return broken();
}

void TlsSession::end_writing() {
  ERR_clear_error();
  SSL_shutdown(session_.get());  // says so to the server; what it still says is read
  collect_output();
}

Result<TlsSession::Read> TlsSession::read(std::span<char> into) {
  ERR_clear_error();
  std::size_t count = 0;
  const int done = SSL_read_ex(session_.get(), into.data(), into.size(), &count);
  const int error = SSL_get_error(session_.get(), done);
  collect_output();
  if (done == 1) return Read{count, false};
  if (error == SSL_ERROR_ZERO_RETURN) return Read{0, true};
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return Read{0, has_ended_};
  return broken();
}

}  // namespace glimpse::ctl
