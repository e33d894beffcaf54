#include "daemon/ingest/mapped_window.h"

#include <cstdio>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace mapped_window_test {

using namespace glimpse;

namespace {

struct TemporaryFile {
  explicit TemporaryFile(const std::string& content) {
    REQUIRE(::ftruncate(descriptor(), 0) == 0);
    REQUIRE(::pwrite(descriptor(), content.data(), content.size(), 0) ==
            static_cast<ssize_t>(content.size()));
  }
  int descriptor() const { return ::fileno(file.get()); }

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), &std::fclose};
};

std::string numbered(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += std::to_string(text.size()) + ' ';
  text.resize(bytes);
  return text;
}

constexpr std::size_t kPages = 16 * 4096;

}  // namespace

TEST_CASE("a window shows its part of the file, from any position") {
  const std::string text = numbered(kPages);
  const TemporaryFile file(text);
  for (const std::size_t position : {0, 1, 4096, 5000}) {
    const auto window = MappedWindow::open(file.descriptor(), position, 20000);
    REQUIRE(window);
    window->bring_in(window->bytes().substr(777, 9000));
    CHECK(window->bytes() == text.substr(position, 20000));
    CHECK_FALSE(window->is_lost());
  }
}

TEST_CASE("a window whose file is cut short has zeros there and says so, and so does no other") {
  const std::string text = numbered(kPages);
  const TemporaryFile file(text);
  const TemporaryFile other(text);
  const auto window = MappedWindow::open(file.descriptor(), 100, kPages - 100);
  const auto untouched = MappedWindow::open(other.descriptor(), 0, kPages);
  REQUIRE(window);
  REQUIRE(untouched);
  REQUIRE(::ftruncate(file.descriptor(), 8192) == 0);
  CHECK(window->bytes().substr(0, 8092) == std::string_view(text).substr(100, 8092));
  CHECK_FALSE(window->is_lost());
  window->bring_in(window->bytes());  // does not end the program either
  CHECK(window->bytes()[8192] == 0);
  CHECK(window->is_lost());
  CHECK(window->bytes().back() == 0);
  CHECK(untouched->bytes() == text);
  CHECK_FALSE(untouched->is_lost());
}

TEST_CASE("windows are had again when others are closed, and refused when there are too many") {
  const TemporaryFile file(numbered(4096));
  for (int round = 0; round < 2; ++round) {
    std::vector<std::shared_ptr<const MappedWindow>> windows;
    while (auto window = MappedWindow::open(file.descriptor(), 0, 4096)) {
      windows.push_back(std::move(window));
      REQUIRE(windows.size() < 1000);
    }
    CHECK(windows.size() >= 32);
    CHECK(windows.back()->bytes()[0] == '0');
  }
  const auto fresh = MappedWindow::open(file.descriptor(), 0, 4096);
  REQUIRE(fresh);
  CHECK_FALSE(fresh->is_lost());
}

}  // namespace mapped_window_test
