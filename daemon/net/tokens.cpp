#include "daemon/net/tokens.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/secret_file.h"

namespace glimpse {

namespace {

Error refuse(const std::string& path, const std::string& why) {
  return failure(ErrorCode::kInvalidOption, "--token-file {}: {}", path, why);
}

// Without a branch that depends on what is compared.
bool equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  return difference == 0;
}

std::optional<Access> access_named(std::string_view word) {
  if (word == "read") return Access::kRead;
  if (word == "learn") return Access::kLearn;
  if (word == "write") return Access::kWrite;
  return std::nullopt;
}

bool is_printable(char c) { return c > ' ' && c <= '~'; }

}  // namespace

Result<Tokens> Tokens::read(const std::string& path) {
  if (const Status status = check_secret_file("token-file", path); !status) return status.error();
  std::ifstream stream(path);
  if (!stream) return refuse(path, "cannot be read");
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad()) return refuse(path, "cannot be read");
  return parse(text.str(), path);
}

Result<Tokens> Tokens::parse(const std::string& text, const std::string& path) {
  Tokens tokens;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string access;
    std::string token;
    std::string more;
    if (!(words >> access) || access.front() == '#') continue;
    const auto right = access_named(access);
    if (!right)
      return refuse(path,
                    fmt::format("line {}: must be 'read TOKEN', 'learn TOKEN' or 'write TOKEN'", number));
    words >> token;
    if (words >> more) return refuse(path, fmt::format("line {}: has more than two words", number));
    if (token.size() < kShortest || token.size() > kLongest ||
        !std::all_of(token.begin(), token.end(), is_printable))
      return refuse(path,
                    fmt::format("line {}: a token has {} to {} printable ASCII characters; this one has "
                                "{} bytes",
                                number, kShortest, kLongest, token.size()));
    tokens.known_.push_back({token, *right});
  }
  if (tokens.empty())
    return refuse(path,
                  "has no token: it needs a line 'read TOKEN', 'learn TOKEN' or 'write TOKEN' at least");
  return tokens;
}

Access Tokens::access_of(std::string_view token) const {
  Access access = Access::kNone;
  for (const Known& known : known_)
    if (equal(known.token, token)) access = std::max(access, known.access);
  return access;
}

}  // namespace glimpse
