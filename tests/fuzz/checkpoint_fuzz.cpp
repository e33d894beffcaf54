// The bytes of checkpoints and of other safetensors files. The first byte chooses: a checkpoint, whose digits
// are made to fit so that the checksum does not keep everything out; the layout alone; or its JSON.

#include <fmt/format.h>
#include <span>
#include <string>
#include <xxhash.h>

#include <boost/json.hpp>

#include "checkpoint/checkpoint.h"
#include "checkpoint/safetensors.h"
#include "data/text/encoding.h"
#include "fuzzing.h"
#include "json/strict_json.h"

namespace glimpse::checkpoint_fuzz {

constexpr std::size_t kDigitsAt = 57;  // FORMAT.md
constexpr std::size_t kDigits = 16;

std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

void require_same(const State& a, const State& b) {
  require(a.tensors().size() == b.tensors().size() && a.texts().size() == b.texts().size());
  for (const Tensor& tensor : a.tensors()) {
    const Tensor* other = b.find(tensor.name);
    require(other != nullptr && other->type == tensor.type && other->bytes == tensor.bytes);
  }
  for (const Text& text : a.texts()) {
    const auto other = b.get_text(text.name);
    require(other && *other == text.value);
  }
}

void check_checkpoint(std::string_view text) {
  if (const auto as_it_is = decode_checkpoint(bytes_of(text)); !as_it_is)
    require(!as_it_is.error().message.empty());
  if (text.size() < kDigitsAt + kDigits) return;
  std::string file(text);
  file.replace(kDigitsAt, kDigits, kDigits, '0');
  file.replace(kDigitsAt, kDigits, fmt::format("{:016x}", XXH3_64bits(file.data(), file.size())));
  const Exact exact(file);
  const auto state = decode_checkpoint(bytes_of(exact.view()));
  if (!state) return require(!state.error().message.empty());
  const auto written = encode_checkpoint(*state);
  require(written.has_value());
  const auto again = decode_checkpoint(bytes_of(*written));
  require(again.has_value());
  require_same(*state, *again);
}

void check_layout(std::string_view text) {
  const Exact exact(text);
  const auto content = decode_safetensors(bytes_of(exact.view()));
  if (!content) return require(!content.error().message.empty());
  std::size_t total = 0;
  for (const TensorView& tensor : content->tensors) {
    require(tensor.bytes.size() % size_of(tensor.type) == 0);
    if (!tensor.bytes.empty())
      require(tensor.bytes.data() >= bytes_of(exact.view()).data() &&
              tensor.bytes.data() + tensor.bytes.size() <= bytes_of(exact.view()).data() + text.size());
    total += tensor.bytes.size();
  }
  require(total <= text.size());
  const auto layout = lay_out_safetensors(content->tensors, content->metadata);
  require(layout.has_value());
  const std::string written = layout->bytes();
  require(written.size() == layout->size());
  const auto again = decode_safetensors(bytes_of(written));
  require(again && again->tensors.size() == content->tensors.size());
  require(again->metadata.size() == content->metadata.size());
  for (const TensorView& tensor : content->tensors)
    require(std::any_of(again->tensors.begin(), again->tensors.end(), [&](const TensorView& other) {
      return other.name == tensor.name && other.type == tensor.type &&
             std::equal(other.bytes.begin(), other.bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
    }));
}

void check_json(std::string_view text) {
  const Exact exact(text);
  const auto mine = parse_strict_json(exact.view());
  boost::json::error_code code;
  const auto theirs = boost::json::parse({text.data(), text.size()}, code);
  // As texts: Boost makes NaN of 0e400.
  if (mine) require(!code && boost::json::serialize(*mine) == boost::json::serialize(theirs));
  // Nothing but a key that occurs twice, or nesting, is refused beside.
  if (!mine && !code)
    require(std::count(text.begin(), text.end(), ':') > 1 ||
            std::count_if(text.begin(), text.end(), [](char c) { return c == '[' || c == '{'; }) > 8);
  require(is_utf8(text) || std::any_of(text.begin(), text.end(), [](char c) { return c < 0; }));
}

const Fuzzer fuzzer("checkpoint", [](Input input) {
  const std::uint8_t choice = input.byte();
  const std::string_view text = input.rest();
  if (choice % 3 == 0) check_checkpoint(text);
  if (choice % 3 == 1) check_layout(text);
  if (choice % 3 == 2) check_json(text);
});

}  // namespace glimpse::checkpoint_fuzz
