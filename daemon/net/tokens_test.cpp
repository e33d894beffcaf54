#include "daemon/net/tokens.h"

#include <cstdio>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace glimpse::tokens_test {

namespace {

constexpr const char* kReader = "reader-0123456789abcdef";
constexpr const char* kTeacher = "teacher-0123456789abcde";
constexpr const char* kWriter = "writer-0123456789abcdef";

// A file that is removed at the end.
class File {
 public:
  explicit File(const std::string& text, unsigned mode = 0640)
      : path_(fmt::format("/tmp/glimpse-tokens-{}", ::getpid())) {
    std::ofstream(path_) << text;
    ::chmod(path_.c_str(), mode);
  }
  ~File() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string refusal(const std::string& text, unsigned mode = 0640) {
  const File file(text, mode);
  const auto tokens = Tokens::read(file.path());
  if (tokens) return "";
  CHECK(tokens.error().code == ErrorCode::kInvalidOption);
  const std::string begin = "--token-file " + file.path() + ": ";
  REQUIRE(tokens.error().message.starts_with(begin));
  return tokens.error().message.substr(begin.size());
}

}  // namespace

TEST_CASE("tokens let in whom they name, and nobody else") {
  const File file(
      fmt::format("# for people\n\nread {}\n  write\t{}\nlearn {}\n", kReader, kWriter, kTeacher));
  const auto tokens = Tokens::read(file.path());
  REQUIRE(tokens.has_value());
  CHECK(tokens->access_of(kReader) == Access::kRead);
  CHECK(tokens->access_of(kWriter) == Access::kWrite);
  CHECK(tokens->access_of(kTeacher) == Access::kLearn);
  CHECK(tokens->access_of("") == Access::kNone);
  CHECK(tokens->access_of("reader-0123456789abcdeg") == Access::kNone);
  CHECK(tokens->access_of("reader-0123456789abcde") == Access::kNone);
  CHECK(tokens->access_of(std::string(kReader) + " ") == Access::kNone);
}

TEST_CASE("a token that is listed twice may do the most") {
  const File file(fmt::format("write {}\nread {}\n", kReader, kReader));
  const auto tokens = Tokens::read(file.path());
  REQUIRE(tokens.has_value());
  CHECK(tokens->access_of(kReader) == Access::kWrite);
}

TEST_CASE("a file of tokens that is wrong is refused, and its tokens are not told") {
  CHECK(refusal(fmt::format("admin {}\n", kReader)) ==
        "line 1: must be 'read TOKEN', 'learn TOKEN' or 'write TOKEN'");
  CHECK(refusal(fmt::format("{}\n", kReader)) ==
        "line 1: must be 'read TOKEN', 'learn TOKEN' or 'write TOKEN'");
  CHECK(refusal(fmt::format("read {} {}\n", kReader, kWriter)) == "line 1: has more than two words");
  CHECK(refusal("\nread secret\n") ==
        "line 2: a token has 16 to 256 printable ASCII characters; this one has 6 bytes");
  CHECK(refusal("read\n") ==
        "line 1: a token has 16 to 256 printable ASCII characters; this one has 0 bytes");
  CHECK(refusal("read \x80secret-0123456789\n") ==
        "line 1: a token has 16 to 256 printable ASCII characters; this one has 18 bytes");
  CHECK(refusal("# nothing\n") ==
        "has no token: it needs a line 'read TOKEN', 'learn TOKEN' or 'write TOKEN' at least");
  CHECK(Tokens::read("/nowhere/tokens").error().message ==
        "--token-file /nowhere/tokens: No such file or directory");
  CHECK(Tokens::read("/tmp").error().message == "--token-file /tmp: is not a regular file");
}

TEST_CASE("a file of tokens that others may read is refused") {
  const std::string text = fmt::format("read {}\n", kReader);
  const std::string why =
      ": nobody but its owner may change it, and nobody but owner and group may read it (chmod 640)";
  CHECK(refusal(text, 0644) == "has mode 0644" + why);
  CHECK(refusal(text, 0660) == "has mode 0660" + why);
  CHECK(refusal(text, 0400).empty());
}

}  // namespace glimpse::tokens_test
