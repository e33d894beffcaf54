#include <doctest/doctest.h>
#include <fmt/format.h>

#include "daemon/config/command_line.h"
#include "daemon/config/config_test_support.h"

namespace reload_test {

using namespace glimpse;
using namespace glimpse::test;
using namespace std::chrono_literals;

TEST_CASE("what can change while running is taken over, and the rest named") {
  Configuration running = read({"--dimension", "4", "--budget", "2", "--state-directory", "d"});
  const Configuration easy =
      read({"--dimension",        "4",  "--budget",           "2",  "--log-level",           "debug",
            "--state-directory",  "d",  "--checkpoint-every", "1s", "--checkpoint-examples", "2",
            "--checkpoint-share", "7%", "--max-connections",  "3",  "--http-timeout",        "4s",
            "--idle-timeout",     "5s", "--clip=0:1"});
  CHECK(apply_changes(running, easy).empty());
  CHECK(running.log_level == "debug");
  CHECK(running.clip.text() == "0:1");
  CHECK(running.checkpoint_every == 1s);
  CHECK(running.checkpoint_examples == 2);
  CHECK(running.checkpoint_share == 7);
  CHECK(running.max_connections == 3);
  CHECK(running.http_timeout == 4s);
  CHECK(running.idle_timeout == 5s);

  const Configuration hard =
      read({"--dimension", "4", "--budget", "3", "--strict", "--queue", "1KiB", "--listen", "unix:/a",
            "--replies", "all", "--state-directory", "e", "--validate", "full"});
  const auto fixed = apply_changes(running, hard);
  const std::vector<std::string> expected{"budget", "listen",          "validate", "replies",
                                          "strict", "state-directory", "queue"};
  CHECK(fixed == expected);
  CHECK_FALSE(running.strict);
}

TEST_CASE("an option that nobody gave is not named, though another one sets what it would") {
  Configuration running = read({"--dimension", "4", "--budget", "2", "--label", "y"});
  const Configuration wanted = read({"--dimension", "4", "--budget", "2", "--label", "q"});
  CHECK(apply_changes(running, wanted) == std::vector<std::string>{"label"});
  const Configuration by_number = read({"--dimension", "4", "--budget", "2", "--label", "#3"});
  CHECK(apply_changes(running, by_number) == std::vector<std::string>{"label"});
}

TEST_CASE("tokens change while running, and are asked for until the end") {
  Configuration running = read({"--dimension", "4", "--budget", "2"});
  running.token_file = "old";
  Configuration wanted = running;
  wanted.token_file = "new";
  CHECK(apply_changes(running, wanted).empty());
  CHECK(running.token_file == "new");
  wanted.token_file.clear();
  CHECK(apply_changes(running, wanted).size() == 1);
  CHECK(running.token_file == "new");
}

}  // namespace reload_test
