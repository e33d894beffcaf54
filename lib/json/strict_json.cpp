#include "json/strict_json.h"

#include <cstddef>
#include <cstdint>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace glimpse {
namespace {

constexpr std::size_t kMaximalDepth = 8;

/// Counts the keys in a text as they stand there. Comparing with those that arrived in the parsed value finds
/// doubles without keeping a set of names for each object.
struct KeyCounter {
  using Code = boost::json::error_code;
  using View = boost::json::string_view;
  // NOLINTBEGIN(readability-identifier-naming): the names are Boost's
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);
  // NOLINTEND(readability-identifier-naming)

  std::size_t keys = 0;

  bool on_key(View, std::size_t, Code&) { return ++keys, true; }
  bool on_key_part(View, std::size_t, Code&) { return true; }
  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code&) { return true; }
  bool on_object_end(std::size_t, Code&) { return true; }
  bool on_array_begin(Code&) { return true; }
  bool on_array_end(std::size_t, Code&) { return true; }
  bool on_string_part(View, std::size_t, Code&) { return true; }
  bool on_string(View, std::size_t, Code&) { return true; }
  bool on_number_part(View, Code&) { return true; }
  bool on_int64(std::int64_t, View, Code&) { return true; }
  bool on_uint64(std::uint64_t, View, Code&) { return true; }
  bool on_double(double, View, Code&) { return true; }
  bool on_bool(bool, Code&) { return true; }
  bool on_null(Code&) { return true; }
  bool on_comment_part(View, Code&) { return true; }
  bool on_comment(View, Code&) { return true; }
};

std::size_t keys_in(const boost::json::value& value) {
  std::size_t keys = 0;
  if (const auto* array = value.if_array())
    for (const auto& element : *array) keys += keys_in(element);
  if (const auto* object = value.if_object())
    for (const auto& member : *object) keys += 1 + keys_in(member.value());
  return keys;
}

}  // namespace

Result<boost::json::value> parse_strict_json(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = kMaximalDepth;
  boost::json::error_code error;
  auto value = boost::json::parse({text.data(), text.size()}, error, {}, options);
  if (error) return failure(ErrorCode::kCorrupt, "not valid JSON: {}", error.message());

  boost::json::basic_parser<KeyCounter> counter(options);
  counter.write_some(false, text.data(), text.size(), error);
  if (error) return failure(ErrorCode::kCorrupt, "not valid JSON: {}", error.message());
  if (counter.handler().keys != keys_in(value))
    return failure(ErrorCode::kCorrupt, "a key occurs twice in a JSON object");
  return value;
}

}  // namespace glimpse
