#include "json/json_nodes.h"

#include <boost/json/basic_parser_impl.hpp>

#include "data/text/text.h"

namespace glimpse {

const char* name_of(JsonNode::Kind kind) {
  switch (kind) {
    case JsonNode::Kind::kNull:
      return "null";
    case JsonNode::Kind::kBool:
      return "a truth value";
    case JsonNode::Kind::kNumber:
      return "a number";
    case JsonNode::Kind::kString:
      return "a string";
    case JsonNode::Kind::kObject:
      return "an object";
    case JsonNode::Kind::kArray:
      return "an array";
  }
  return "something else";
}

namespace {

// What basic_parser calls for every part of the text.
class Handler {
 public:
  using Code = boost::json::error_code;
  using View = boost::json::string_view;
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  explicit Handler(std::size_t most) : most_(most) {}

  void begin(std::string& arena) {
    nodes.clear();
    open_.clear();
    key_ = {};
    arena_ = &arena;
    part_ = arena.size();
    too_large = false;
  }

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code& code) { return open(JsonNode::Kind::kObject, code); }
  bool on_object_end(std::size_t, Code&) { return close(); }
  bool on_array_begin(Code& code) { return open(JsonNode::Kind::kArray, code); }
  bool on_array_end(std::size_t, Code&) { return close(); }
  bool on_key_part(View text, std::size_t, Code&) { return keep(text); }
  bool on_key(View text, std::size_t, Code&) {
    key_ = whole(text);
    return true;
  }
  bool on_string_part(View text, std::size_t, Code&) { return keep(text); }
  bool on_string(View text, std::size_t, Code& code) {
    return add(JsonNode::Kind::kString, whole(text), false, code);
  }
  bool on_number_part(View text, Code&) { return keep(text); }
  bool on_int64(std::int64_t, View text, Code& code) { return on_number(text, code); }
  bool on_uint64(std::uint64_t, View text, Code& code) { return on_number(text, code); }
  bool on_double(double, View text, Code& code) { return on_number(text, code); }
  bool on_bool(bool truth, Code& code) { return add(JsonNode::Kind::kBool, {}, truth, code); }
  bool on_null(Code& code) { return add(JsonNode::Kind::kNull, {}, false, code); }
  bool on_comment_part(View, Code&) { return true; }
  bool on_comment(View, Code&) { return true; }

  std::vector<JsonNode> nodes;
  bool too_large = false;

 private:
  bool on_number(View text, Code& code) { return add(JsonNode::Kind::kNumber, whole(text), false, code); }

  bool add(JsonNode::Kind kind, std::string_view text, bool truth, Code& code) {
    if (nodes.size() >= most_) {
      too_large = true;
      code = boost::json::error::array_too_large;
      return false;
    }
    const auto end = static_cast<std::uint32_t>(nodes.size() + 1);
    nodes.push_back({kind, truth, end, key_, text});
    key_ = {};
    return true;
  }
  bool open(JsonNode::Kind kind, Code& code) {
    if (!add(kind, {}, false, code)) return false;
    open_.push_back(static_cast<std::uint32_t>(nodes.size() - 1));
    return true;
  }
  bool close() {
    nodes[open_.back()].end = static_cast<std::uint32_t>(nodes.size());
    open_.pop_back();
    return true;
  }
  bool keep(View text) {
    arena_->append(text.data(), text.size());
    return true;
  }
  std::string_view whole(View last_part) {
    keep(last_part);
    const std::string_view text = std::string_view(*arena_).substr(part_);
    part_ = arena_->size();
    return text;
  }

  const std::size_t most_;
  std::vector<std::uint32_t> open_;  // objects and arrays that have not ended
  std::string_view key_;
  std::string* arena_ = nullptr;
  std::size_t part_ = 0;  // where in the arena the present text begins
};

}  // namespace

struct JsonNodes::Parser {
  explicit Parser(std::size_t most) : json(boost::json::parse_options(), most) {}
  boost::json::basic_parser<Handler> json;
};

JsonNodes::JsonNodes(std::size_t most) : parser_(std::make_unique<Parser>(most)) {}
JsonNodes::~JsonNodes() = default;
JsonNodes::JsonNodes(JsonNodes&&) noexcept = default;
JsonNodes& JsonNodes::operator=(JsonNodes&&) noexcept = default;

Status JsonNodes::parse(std::string_view text, std::string& arena) {
  auto& json = parser_->json;
  json.handler().begin(arena);
  json.reset();
  boost::json::error_code code;
  const std::size_t used = json.write_some(false, text.data(), text.size(), code);
  Status status;
  if (json.handler().too_large) {
    status = failure(ErrorCode::kTooLarge, "the JSON text has too many values");
  } else if (code) {
    status = failure(ErrorCode::kInvalidInput, "not valid JSON at byte {}: {}", used, code.message());
  } else {
    std::string_view rest = text.substr(used);
    while (!rest.empty() && (is_blank(rest.front()) || rest.front() == '\n')) rest.remove_prefix(1);
    if (!rest.empty())
      status = failure(ErrorCode::kInvalidInput, "text behind the JSON value: {}", in_quotes(rest));
  }
  if (!status) json.handler().nodes.clear();
  return status;
}

const std::vector<JsonNode>& JsonNodes::nodes() const { return parser_->json.handler().nodes; }

}  // namespace glimpse
