#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse {

/// A stream connection may begin with one line `#glimpse KEY=VALUE [KEY=VALUE...]`: the keys and what they do
/// are in SOURCES.md. A connection that begins otherwise is a stream of records from its first byte on,
/// unless it begins as a request of HTTP does (first_line.h tells those with another first word).
struct Greeting {
  static constexpr std::string_view kBeginning = "#glimpse ";
  static constexpr std::size_t kMostBytes = 1024;  ///< of the line, its end included

  std::optional<std::string> token;  ///< lets in; none: none was shown
  std::string source;                ///< the stream's name; empty: it has none
  /// Records of the source before the first that will be sent; none: as many as are inside.
  std::optional<std::uint64_t> from;
  /// Bytes that the client can keep until they are durable; 0: it need not keep any; none: it did not say.
  std::optional<std::uint64_t> memory;
  bool asks_contents = false;  ///< what stands for the records inside is to be said
};

/// What the first bytes of a connection are.
struct GreetingScan {
  enum class Kind : std::uint8_t { kNone, kUnfinished, kWhole, kHttp };
  Kind kind = Kind::kNone;
  std::size_t length = 0;  ///< kWhole: bytes of the line, its end included
  Greeting greeting;       ///< kWhole
};

/// Looks at everything that a connection has sent so far: kNone says that no greeting can come any more,
/// kHttp that this is a request of HTTP. An Error (kInvalidInput) for a greeting that is none of ours, as
/// soon as that is certain. Pure; O(bytes).
Result<GreetingScan> scan_greeting(std::string_view bytes);

}  // namespace glimpse
