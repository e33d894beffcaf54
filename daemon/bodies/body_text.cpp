#include "daemon/bodies/body_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "compression/decompressor.h"

namespace glimpse {

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string("null");
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

namespace {

constexpr std::size_t kRoom = std::size_t{64} << 10;
constexpr std::size_t kMostRatio = 1032;  // of deflate
constexpr std::size_t kMostWindow = std::size_t{8}
                                    << 20;  // what zstd writes up to -19; a request takes no more

}  // namespace

bool is_packed(std::string_view body) { return Decompressor::for_bytes(body) != nullptr; }

std::size_t unpacked_at_most(std::string_view body, std::size_t most) {
  const auto decompressor = Decompressor::for_bytes(body);
  if (decompressor == nullptr) return body.size();
  return decompressor->name() == "gzip" ? std::min(most, body.size() * kMostRatio) : most;
}

Result<std::string> unpacked(std::string_view body, std::size_t most) {
  const auto decompressor = Decompressor::for_bytes(body, kMostWindow);
  std::string bytes;
  std::string room(kRoom, '\0');
  for (bool needs_input = false; !needs_input;) {
    const auto step = decompressor->decompress(body, room);
    if (!step && step.error().code == ErrorCode::kUnavailable) return step.error();
    if (!step) return failure(ErrorCode::kInvalidInput, "the body {}", step.error().message);
    body.remove_prefix(step->consumed);
    needs_input = step->needs_input;
    if (step->produced > most - bytes.size())
      return failure(ErrorCode::kTooLarge, "the body is larger than --max-body {} bytes when it is unpacked",
                     most);
    bytes.append(room.data(), step->produced);
  }
  if (!body.empty() || !decompressor->is_whole())
    return failure(ErrorCode::kInvalidInput, "the body ends amid its {} data: it is cut short",
                   decompressor->name());
  return bytes;
}

}  // namespace glimpse
