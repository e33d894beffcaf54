#include "checkpoint/checkpoint_name.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/numbers.h"

namespace glimpse {
namespace {

constexpr std::string_view kPrefix = "checkpoint-";
constexpr std::string_view kSuffix = ".safetensors";
constexpr std::size_t kSequenceDigits = 12;

bool are_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string CheckpointName::text() const {
  return fmt::format("{}{:0{}}-{}{}", kPrefix, sequence, kSequenceDigits, examples, kSuffix);
}

std::optional<CheckpointName> parse_checkpoint_name(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  if (name.size() < kSuffix.size()) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  const std::size_t dash = name.find('-');
  if (dash == name.npos || dash < kSequenceDigits || !are_digits(name.substr(dash + 1))) return std::nullopt;
  const std::string_view digits = name.substr(0, dash);
  if (!are_digits(digits) || (digits.size() > kSequenceDigits && digits.front() == '0')) return std::nullopt;
  const auto value = whole_text_as<std::uint64_t>(digits);
  CheckpointName parsed;
  parsed.sequence = value && *value <= kLastCheckpointSequence ? *value : CheckpointName::kBeyond;
  parsed.examples = whole_text_as<std::uint64_t>(name.substr(dash + 1)).value_or(0);
  return parsed;
}

}  // namespace glimpse
