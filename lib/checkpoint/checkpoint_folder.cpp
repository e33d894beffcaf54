#include "checkpoint/checkpoint_folder.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "base/numbers.h"
#include "checkpoint/checkpoint.h"

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

namespace {
bool is_digit(char c) { return c >= '0' && c <= '9'; }
}  // namespace

Result<CheckpointFolder::Listed> CheckpointFolder::find(const std::string& text) const {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return is_digit(c); }) ? with_examples(text)
                                                                                        : named(text);
}

Result<CheckpointFolder::Listed> CheckpointFolder::with_examples(const std::string& digits) const {
  const auto examples = whole_text_as<std::uint64_t>(digits);
  GLIMPSE_TRY_ASSIGN(const auto listed, list());
  for (const Listed& one : listed)
    if (examples && one.parsed.examples == *examples) return one;
  return failure(ErrorCode::kNotFound, "no checkpoint of {} examples is there", digits);
}

Result<CheckpointFolder::Listed> CheckpointFolder::named(const std::string& name) const {
  const auto parsed = parse_checkpoint_name(name);
  if (!parsed || parsed->sequence > kLastCheckpointSequence)
    return failure(
        ErrorCode::kInvalidInput,
        "must be a checkpoint's name, like checkpoint-000000000012-5000.safetensors, without a folder, or "
        "the examples that it has, like 5000");
  GLIMPSE_TRY_ASSIGN(const auto file, files_.open(folder_ + "/" + name, Links::kRefused));
  return Listed{name, *parsed, file->size(), file->modified()};
}

Result<std::vector<CheckpointFolder::Listed>> CheckpointFolder::list() const {
  GLIMPSE_TRY_ASSIGN(auto names, files_.list(folder_));
  std::vector<Listed> listed;
  for (const std::string& name : names) {
    if (!parse_checkpoint_name(name)) continue;
    if (auto found = named(name)) listed.push_back(std::move(*found));
  }
  std::ranges::sort(listed, [](const Listed& a, const Listed& b) {
    return a.parsed.sequence != b.parsed.sequence ? a.parsed.sequence > b.parsed.sequence : a.name > b.name;
  });
  return listed;
}

Result<State> CheckpointFolder::load(const std::string& name, std::uint64_t most_bytes) const {
  GLIMPSE_TRY(find(name));
  GLIMPSE_TRY_ASSIGN(const auto file, files_.open(folder_ + "/" + name, Links::kRefused));
  return read_checkpoint(*file, most_bytes);
}

}  // namespace glimpse
