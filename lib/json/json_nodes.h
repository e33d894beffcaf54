#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glimpse {

/// A JSON value within a parsed text. Numbers stay text. The code that needs one converts it exactly; Boost
/// 1.81's own conversion is not exact.
struct JsonNode {
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kObject, kArray };
  Kind kind = Kind::kNull;
  bool truth = false;     ///< of kBool
  std::uint32_t end = 0;  ///< one past its last descendant: the index of what follows it
  std::string_view key;   ///< where it is a member of an object
  std::string_view text;  ///< of a number as written; of a string, decoded
};

/// That a body may have: 48 bytes each.
inline constexpr std::size_t kMostJsonNodes = 1000000;

/// What a kind is called in messages: "a number".
const char* name_of(JsonNode::Kind kind);

/// Reads JSON texts one after another into a list of nodes: each before its children, these in order. The
/// children of node n begin at n + 1, the next sibling of a child c stands at nodes()[c].end, and n's
/// descendants end before nodes()[n].end. Nesting is at most 32 deep. Thread-safety: none. Memory is reused.
class JsonNodes {
 public:
  /// `most`: nodes that a text may have.
  explicit JsonNodes(std::size_t most);
  ~JsonNodes();
  JsonNodes(JsonNodes&&) noexcept;
  JsonNodes& operator=(JsonNodes&&) noexcept;

  /// Replaces the nodes by those of `text`. What their keys and texts show is put behind the end of `arena`,
  /// which must have room for text.size() more and may not move as long as they are used. Errors:
  /// kInvalidInput, kTooLarge; there are no nodes then.
  Status parse(std::string_view text, std::string& arena);

  const std::vector<JsonNode>& nodes() const;
  const JsonNode& operator[](std::size_t n) const { return nodes()[n]; }

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace glimpse
