#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glimpse {

/// What a client may do.
enum class Access : std::uint8_t {
  kNone,
  kRead,   ///< predictions, the model, moments, checkpoints, plans, status and metrics
  kLearn,  ///< that, and what a source of examples does: learning, asking, telling, making checkpoints
  kWrite,  ///< that, and what an operator does: freezing, and choosing the model that answers
};

/// The secrets of --token-file. Nothing here prints one, nor does anything that it returns. Thread-safety:
/// that of a container.
class Tokens {
 public:
  static constexpr std::size_t kShortest = 16;  ///< characters
  static constexpr std::size_t kLongest = 256;

  /// None: nobody is asked for one.
  Tokens() = default;

  /// A file of lines `read TOKEN`, `learn TOKEN` or `write TOKEN`; blank lines and lines that begin with '#'
  /// are for people. A token has 16 to 256 printable characters without blanks. Errors (kInvalidOption) name
  /// option, file, line and constraint: a file that others than owner and group may read is one, and so is a
  /// file without a token.
  static Result<Tokens> read(const std::string& path);
  /// The same of the file's `text`; `path` is for messages.
  static Result<Tokens> parse(const std::string& text, const std::string& path);

  bool empty() const { return known_.empty(); }

  /// What the bearer of `token` may do; of a token that is listed twice, the most. Takes as long for every
  /// token of a length, whatever it has in common with a known one.
  Access access_of(std::string_view token) const;

 private:
  struct Known {
    std::string token;
    Access access;
  };
  std::vector<Known> known_;
};

}  // namespace glimpse
