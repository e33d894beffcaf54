#include "daemon/config/file_check.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "daemon/net/listener.h"
#include "daemon/net/tls.h"
#include "daemon/net/tokens.h"
#include "data/records/attribute_names.h"
#include "learn/gradient/moments_file.h"
#include "learn/options/prices.h"

namespace glimpse {

namespace {

Result<std::string> read_text(const char* option, const std::string& path) {
  std::ifstream file(path);
  if (!file) return invalid_option(option, path, "cannot be read");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::string> read_names(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    names.push_back(line);
  }
  return names;
}

Status check_secrets(const Configuration& c) {
  if (!c.token_file.empty()) GLIMPSE_TRY(Tokens::read(c.token_file));
  if (c.tls_certificate.empty()) return {};
  boost::asio::io_context io;
  const auto tls = TlsKeeper::open(io, c.tls_certificate, c.tls_key, c.http_timeout);
  return tls ? Status() : Status(tls.error());
}

Status check_doors(const Configuration& c) {
  for (const Address& address : c.listen)
    GLIMPSE_TRY(check_address("listen", address, c.allow_remote, c.socket_group));
  for (const Address& address : c.http)
    GLIMPSE_TRY(check_address("http", address, c.allow_remote, c.socket_group));
  return {};
}

// The nearest folder above that is there must take new ones.
Status check_state_directory(const Configuration& c) {
  if (c.state_directory.empty()) return {};
  std::string path = c.state_directory;
  struct stat status{};
  while (::stat(path.c_str(), &status) != 0 && path != "/" && path != ".") {
    const std::size_t slash = path.rfind('/');
    path = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  }
  if (!S_ISDIR(status.st_mode))
    return invalid_option("state-directory", c.state_directory, path + " is no directory");
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    return invalid_option("state-directory", c.state_directory, path + ": " + std::strerror(errno));
  return {};
}

}  // namespace

Status check_files(const Configuration& c) {
  GLIMPSE_TRY(check_secrets(c));
  GLIMPSE_TRY(check_doors(c));
  GLIMPSE_TRY(check_state_directory(c));
  std::vector<std::string> fixed;
  if (!c.attributes_file.empty()) {
    GLIMPSE_TRY(read_text("attributes", c.attributes_file));
    fixed = read_names(c.attributes_file);
  }
  const std::size_t dimension = c.learner.dimension == 0 ? fixed.size() : c.learner.dimension;
  AttributeNames names(dimension);
  if (!fixed.empty())
    if (const Status status = names.fix(fixed); !status)
      return invalid_option("attributes", c.attributes_file, status.error().message);
  if (!c.costs_file.empty()) {
    GLIMPSE_TRY_ASSIGN(const auto text, read_text("costs", c.costs_file));
    if (!fixed.empty())  // else the checkpoint may have the names
      if (const auto prices = parse_prices(text, dimension, names); !prices)
        return invalid_option("costs", c.costs_file, prices.error().message);
  }
  if (!c.moments_file.empty()) {
    GLIMPSE_TRY_ASSIGN(const auto text, read_text("moments", c.moments_file));
    if (dimension > 0)
      if (const auto moments = parse_moments(text, dimension); !moments)
        return invalid_option("moments", c.moments_file, moments.error().message);
  }
  return {};
}

}  // namespace glimpse
