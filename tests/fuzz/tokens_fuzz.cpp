// The text of --token-file, beside a walk over its words: who is listed is let in and nobody else; what is
// refused is said with its line and without what it may have of a secret.

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/net/tokens.h"
#include "fuzzing.h"

namespace glimpse::tokens_fuzz {

constexpr std::string_view kBeginning = "--token-file FILE: ";

std::vector<std::string> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (kBlanks.find(c) == std::string_view::npos) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

struct Expected {
  std::map<std::string, Access> tokens;
  std::size_t wrong_line = 0;  // counted from 1
  std::vector<std::string> words;
};

bool is_token(std::string_view word) {
  return word.size() >= Tokens::kShortest && word.size() <= Tokens::kLongest &&
         std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c <= '~'; });
}

Expected expect(std::string_view text) {
  Expected expected;
  Input lines(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  for (std::size_t number = 1; !lines.empty(); ++number) {
    const std::vector<std::string> words = words_of(lines.up_to('\n'));
    expected.words.insert(expected.words.end(), words.begin(), words.end());
    if (words.empty() || words[0].front() == '#') continue;
    const std::map<std::string_view, Access> rights{
        {"read", Access::kRead}, {"learn", Access::kLearn}, {"write", Access::kWrite}};
    const auto right = rights.find(words[0]);
    if (right == rights.end() || words.size() != 2 || !is_token(words[1])) {
      if (expected.wrong_line == 0) expected.wrong_line = number;
      continue;
    }
    Access& access = expected.tokens[words[1]];
    access = std::max(access, right->second);
  }
  return expected;
}

void require_access(const Tokens& tokens, const Expected& expected, const std::string& token) {
  const auto known = expected.tokens.find(token);
  require(tokens.access_of(token) == (known != expected.tokens.end() ? known->second : Access::kNone));
}

const Fuzzer fuzzer("tokens", [](Input input) {
  const std::string text(input.rest());
  const Expected expected = expect(text);
  const auto tokens = Tokens::parse(text, "FILE");
  require(tokens.has_value() == (expected.wrong_line == 0 && !expected.tokens.empty()));
  if (!tokens) {
    const std::string& message = tokens.error().message;
    require(tokens.error().code == ErrorCode::kInvalidOption && message.starts_with(kBeginning));
    if (expected.wrong_line > 0)
      require(message.substr(kBeginning.size())
                  .starts_with("line " + std::to_string(expected.wrong_line) + ": "));
    for (const std::string& word : expected.words)
      if (word.size() >= Tokens::kShortest) require(message.find(word) == std::string::npos);
    return;
  }
  require(!tokens->empty());
  for (const std::string& word : expected.words) {
    require_access(*tokens, expected, word);
    require_access(*tokens, expected, word + "x");
    require_access(*tokens, expected, word.substr(1));
    std::string other = word;
    other.back() = static_cast<char>(other.back() ^ 1);
    require_access(*tokens, expected, other);
  }
  require_access(*tokens, expected, "");
});

}  // namespace glimpse::tokens_fuzz
