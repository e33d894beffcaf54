#include "glimpsectl/client/tls_trust.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <utility>

#include "report/table.h"

namespace glimpse::ctl {

namespace {

// What certificates say is a stranger's text.
std::string text_of(const X509_NAME* name) {
  char* const line = X509_NAME_oneline(name, nullptr, 0);
  std::string text = line == nullptr ? std::string("?") : printable(line);
  OPENSSL_free(line);
  return text;
}

std::string text_of(const ASN1_TIME* time) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  char* bytes = nullptr;
  if (ASN1_TIME_print(memory.get(), time) != 1) return "?";
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return printable(std::string_view(bytes, static_cast<std::size_t>(size)));
}

// "DNS:localhost, IP Address:127.0.0.1", or the subject where there are none.
std::string names_of(X509* certificate) {
  const int place = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1);
  if (place < 0) return text_of(X509_get_subject_name(certificate));
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  X509V3_EXT_print(memory.get(), X509_get_ext(certificate, place), 0, 0);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return printable(std::string_view(bytes, static_cast<std::size_t>(size)));
}

std::string_view reason_text(unsigned long reason, std::string_view otherwise) {
  const char* const text = ERR_reason_error_string(reason);
  return text == nullptr ? otherwise : std::string_view(text);
}

bool is_plain_text(int reason) {
  return reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST ||
         reason == SSL_R_PACKET_LENGTH_TOO_LONG || reason == SSL_R_BAD_RECORD_TYPE ||
         reason == SSL_R_RECORD_LENGTH_MISMATCH;
}

}  // namespace

void TlsTrust::Free::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }

TlsTrust::TlsTrust(const ServerAddress& server)
    : server_(server), context_(SSL_CTX_new(TLS_client_method())) {
  if (!context_) throw std::bad_alloc();
}

Result<std::shared_ptr<TlsTrust>> TlsTrust::open(const ServerAddress& server) {
  std::shared_ptr<TlsTrust> trust(new TlsTrust(server));
  GLIMPSE_TRY(trust->load());
  return trust;
}

Status TlsTrust::load() {
  SSL_CTX_set_min_proto_version(context(), TLS1_2_VERSION);
  // The server's own certificate may be named as well as an authority's.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context()), X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set_verify(context(), SSL_VERIFY_PEER, nullptr);
  const auto believe = [](X509_STORE_CTX* chain, void* trust) {
    const int believed = X509_verify_cert(chain);
    if (believed <= 0) static_cast<TlsTrust*>(trust)->note_refusal(chain);
    return believed;
  };
  SSL_CTX_set_cert_verify_callback(context(), believe, this);
  const std::string& file = server_.authorities;
  if (file.empty()) {
    SSL_CTX_set_default_verify_paths(context());
    return {};
  }
  if (!std::ifstream(file))
    return failure(ErrorCode::kInvalidOption, "--ca '{}' cannot be read: {}", file, std::strerror(errno));
  ERR_clear_error();
  if (SSL_CTX_load_verify_file(context(), file.c_str()) != 1)
    return failure(ErrorCode::kInvalidOption, "--ca '{}' must be a PEM file of certificates: {}", file,
                   printable(reason_text(ERR_peek_last_error(), "it has none")));
  return {};
}

void TlsTrust::prepare(SSL* connection) {
  refusal_ = 0;
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(connection);
  const std::string host = server_.host.substr(0, server_.host.find('%'));  // without the zone
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1) return;
  SSL_set_tlsext_host_name(connection, host.c_str());
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (X509_VERIFY_PARAM_set1_host(wanted, host.data(), host.size()) != 1) throw std::bad_alloc();
}

void TlsTrust::note_refusal(X509_STORE_CTX* chain) {
  refusal_ = X509_STORE_CTX_get_error(chain);
  X509* const certificate = X509_STORE_CTX_get_current_cert(chain);
  if (certificate == nullptr) return;
  const bool is_servers = X509_STORE_CTX_get_error_depth(chain) == 0;
  subject_ = is_servers ? std::string() : text_of(X509_get_subject_name(certificate));
  names_ = names_of(certificate);
  issuer_ = text_of(X509_get_issuer_name(certificate));
  from_ = text_of(X509_get0_notBefore(certificate));
  until_ = text_of(X509_get0_notAfter(certificate));
}

Error TlsTrust::explain_refusal() const {
  const std::string whose = subject_.empty() ? "its certificate" : "the certificate of " + subject_;
  const auto because = [&](ErrorCode code, std::string why) {
    return failure(code, "{} is not trusted: {}", server_.text, why);
  };
  switch (refusal_) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return because(ErrorCode::kInvalidOption,
                     fmt::format("its certificate is for {}, and not for {}: name the server as its "
                                 "certificate does",
                                 names_, server_.host));
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return because(ErrorCode::kUnavailable,
                     fmt::format("{} expired at {}: it needs a new one", whose, until_));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return because(ErrorCode::kUnavailable,
                     fmt::format("{} is valid from {} on: is a clock wrong?", whose, from_));
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return because(
          ErrorCode::kInvalidOption,
          server_.authorities.empty()
              ? fmt::format("its certificate is signed by {}, which this machine does not know: --ca FILE "
                            "names the authority's certificate, or the server's own",
                            issuer_)
              : fmt::format("its certificate is signed by {}, which is none of --ca '{}'", issuer_,
                            server_.authorities));
    default:
      return because(ErrorCode::kUnavailable,
                     fmt::format("{}: {}", whose, X509_verify_cert_error_string(refusal_)));
  }
}

Error TlsTrust::explain(unsigned long reason, std::string_view otherwise) {
  was_alerted_ = ERR_GET_REASON(reason) >= SSL_AD_REASON_OFFSET;
  if (refusal_ != 0) return explain_refusal();
  if (is_plain_text(ERR_GET_REASON(reason)))
    return failure(ErrorCode::kInvalidOption, "{} does not speak TLS: name it {}", server_.text,
                   server_.with_tls(false));
  if (reason == 0)
    return failure(ErrorCode::kUnavailable,
                   "{} broke off the TLS handshake: {}; where it does not speak TLS, name it {}",
                   server_.text, otherwise, server_.with_tls(false));
  return failure(ErrorCode::kUnavailable, "TLS with {} failed: {}", server_.text,
                 reason_text(reason, otherwise));
}

Error speaks_tls_error(const ServerAddress& server) {
  return failure(ErrorCode::kInvalidOption,
                 "{}: the server speaks TLS: name it {} (--ca FILE where this machine does not know the "
                 "authority of its certificate)",
                 server.text, server.with_tls(true));
}

}  // namespace glimpse::ctl
