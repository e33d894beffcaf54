// The words of labels: classes.

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "data/records/categories.h"
#include "data/records/odd_numbers.h"
#include "data/text/character.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

// As numbers are written that are classes: 3, not 3.0. At most 24 characters: usually no allocation.
std::string plain_number(double number) { return fmt::format("{}", number == 0 ? 0.0 : number); }

// Above it not every whole number is a double: two of them would be one class.
constexpr double kExactWhole = 9007199254740992;  // 2^53

bool is_numeric(std::string_view word) {
  double number = 0;
  return read_number(word, number);
}

Error beyond_exact(std::string_view word) {
  return failure(
      ErrorCode::kInvalidInput,
      "label {} is a number from 2^53 on, where neighbours become one: as the name of a class it must "
      "be a word, as {}",
      quoted(word), quoted(std::string("c").append(word)));
}

// As programs write what is no finite number, with a sign or without.
bool is_no_number(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  return std::ranges::any_of(std::to_array<std::string_view>({"nan", "inf", "infinity"}), [&](auto known) {
    return std::ranges::equal(word, known, {}, [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c + 0; });
  });
}

// Why no class can be called so, as messages say it; empty: one can. Answers are UTF-8, replies are lines,
// and two classes must not look alike.
std::string trouble_of_name(std::string_view word) {
  for (std::string_view rest = word; !rest.empty();) {
    const Character character = first_character(rest);
    if (character.length == 0)
      return "is no UTF-8, in which answers are: convert the input (iconv -f LATIN1 -t UTF-8)";
    if (character.kind == Character::Kind::kHidden)
      return "has a control character or another that is not seen, as a line end or a mark of direction, "
             "which "
             "the name of a class cannot have: take it out of the input";
    rest.remove_prefix(character.length);
  }
  return {};
}

}  // namespace

void Categories::set_label_limit(std::size_t limit, std::string why) {
  label_limit_ = limit;
  label_mend_ = std::move(why);
}

void Categories::add_label_word(std::string_view word) {
  label_codes_.emplace(word, static_cast<std::uint32_t>(label_words_.size()));
  label_words_.emplace_back(word);
}

Status Categories::declare_label_words(const std::vector<std::string>& words) {
  for (std::size_t c = 0; c < words.size(); ++c) {
    if (c < label_words_.size() && label_words_[c] == words[c]) continue;
    if (c < label_words_.size())
      return failure(ErrorCode::kInvalidOption, "class {} is {}, as the checkpoint has it, and not {}", c,
                     quoted(label_words_[c]), quoted(words[c]));
    if (words[c].empty() || words[c].size() > kLongest || label_codes_.contains(words[c]))
      return failure(ErrorCode::kInvalidOption,
                     "{}: a class has a name of 1 to {} bytes, and no other has it", quoted(words[c]),
                     kLongest);
    if (trimmed(words[c]) != words[c])
      return failure(ErrorCode::kInvalidOption, "{}: no label is called so, with blanks around it",
                     quoted(words[c]));
    if (const std::string trouble = trouble_of_name(words[c]); !trouble.empty())
      return failure(ErrorCode::kInvalidOption, "{} {}", quoted(words[c]), trouble);
    if (double number = 0; read_number(words[c], number) && std::abs(number) >= kExactWhole)
      return failure(ErrorCode::kInvalidOption, "{}", beyond_exact(words[c]).message);
    if (double number = 0; read_number(words[c], number) && plain_number(number) != words[c])
      return failure(ErrorCode::kInvalidOption, "{}: of numbers {} is the class {}", quoted(words[c]),
                     words[c], plain_number(number));
    if (label_words_.size() >= label_limit_)
      return failure(ErrorCode::kInvalidOption, "{}", too_many_labels(words[c]));
    add_label_word(words[c]);
  }
  declare_label();
  kept_label_words_ = label_words_.size();
  declared_label_words_ = words.size();
  return {};
}

std::string Categories::too_many_labels(std::string_view word) const {
  return fmt::format("label {} is one class too many: there are {} ({}{}){}{}", quoted(word),
                     label_words_.size(),
                     fmt::join(label_words_.begin(),
                               label_words_.begin() +
                                   static_cast<std::ptrdiff_t>(std::min<std::size_t>(label_words_.size(), 4)),
                               ", "),
                     label_words_.size() > 4 ? ", …" : "", label_mend_.empty() ? "" : "; ", label_mend_);
}

Result<double> Categories::read_label(double number, bool learns) {
  if (!has_label_words_) return number;
  if (std::abs(number) >= kExactWhole) return beyond_exact(plain_number(number));
  return read_label(plain_number(number), learns);
}

Result<double> Categories::read_label(std::string_view word, bool learns) {
  double number = 0;
  const bool is_number = read_number(word, number);
  if (has_label_words_ && is_number) {
    if (std::abs(number) >= kExactWhole) return beyond_exact(word);
    if (const std::string plain = plain_number(number); plain != word) return read_label(plain, learns);
  }
  const auto found = label_codes_.find(word);
  if (found != label_codes_.end()) return static_cast<double>(found->second);
  if (!has_label_words_ && learned_.label && learned_.label())
    return failure(ErrorCode::kInvalidInput,
                   "label {} is not a finite number, as those before were: --task classes takes numbers for "
                   "names of classes as well",
                   quoted(word));
  if (learns && label_words_.size() >= label_limit_)
    return failure(ErrorCode::kInvalidInput, "{}", too_many_labels(word));
  if (word.size() > kLongest)
    return failure(ErrorCode::kInvalidInput, "label {} has {} bytes; a word has {} at most", quoted(word),
                   word.size(), kLongest);
  if (label_words_.empty() && !is_number && looks_like_date(word))
    return failure(ErrorCode::kInvalidInput,
                   "label {} is a date or a time: the label must be a number, or the name of a class",
                   quoted(word));
  if (const std::string trouble = trouble_of_name(word); !trouble.empty())
    return failure(ErrorCode::kInvalidInput, "label {} {}", quoted(word), trouble);
  if (is_no_number(word))
    return failure(
        ErrorCode::kInvalidInput,
        "label {} is what programs write for no number: leave the label empty where it is not known; "
        "--classes takes it for the name of a class",
        quoted(word));
  // Beside classes that are numbers as well.
  if (!is_number && (label_words_.empty() || is_numeric(label_words_.front())) && looks_like_odd_number(word))
    return failure(ErrorCode::kInvalidInput, "{}", odd_label_advice(word));
  if (!learns) return static_cast<double>(label_words_.size());
  add_label_word(word);
  has_label_words_ = true;
  return static_cast<double>(label_words_.size() - 1);
}

}  // namespace glimpse
