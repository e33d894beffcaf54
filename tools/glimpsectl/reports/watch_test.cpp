#include "glimpsectl/reports/watch.h"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

#include "report/table.h"

namespace watch_test {

using namespace glimpse;
using namespace glimpse::ctl;

namespace {

boost::json::object status(std::string_view json) { return boost::json::parse(json).as_object(); }

}  // namespace

TEST_CASE("a line of watch stands under its titles, with rates since the last") {
  const auto before = status(R"({"examples":1000000,"attributes_revealed":4000000})");
  const auto now =
      status(R"({"examples":1246912,"attributes_revealed":4987648,"phase":"second","queue_bytes":1048576,
                              "progressive_loss":0.12345,"progressive_loss_error":0.00123,
                              "recent_r2":0.9303,"recent_r2_error":0.0213,"recent_rmse":0.35142,
                              "checkpoint_age_seconds":12.5})");
  CHECK(watch_header() ==
        "time          examples   ex/s phase     loss ± error   R2 ± error     rmse    queue ckpt");
  CHECK(watch_line("15:04:05", now, &before, 2) ==
        "15:04:05     1,246,912   123k second 0.1235 ± 0.0012 0.930 ± 0.02   0.3514  1.0 MiB  12s");
  CHECK(watch_header(79) ==
        "time          examples   ex/s phase     loss ± error   R2 ± error    queue ckpt");
}

TEST_CASE("in a narrow room what matters least is left out, under the titles that are there") {
  const auto now = status(R"({"examples":1246912,"phase":2,"queue_bytes":1048576,"progressive_loss":0.12345,
                              "progressive_loss_error":0.00123,"recent_r2":0.9303,"recent_r2_error":0.0213,
                              "checkpoint_age_seconds":12.5})");
  const auto line = [&](std::size_t room) { return watch_line("15:04:05", now, nullptr, 0, room); };
  CHECK(watch_header(88) == watch_header());
  CHECK(line(88) == watch_line("15:04:05", now, nullptr, 0));
  CHECK(watch_header(59) == "     examples   ex/s phase     loss ± error   R2 ± error");
  CHECK(line(59) == "    1,246,912      – 2      0.1235 ± 0.0012 0.930 ± 0.02");
  CHECK(watch_header(39) == "     examples   ex/s   R2 ± error");
  CHECK(line(39) == "    1,246,912      – 0.930 ± 0.02");
  CHECK(watch_header(20) == "     examples");
  CHECK(line(20) == "    1,246,912");
  CHECK(line(5).empty());
  for (std::size_t room = 0; room < 90; ++room) {
    CHECK(display_width(watch_header(room)) <= room);
    CHECK(display_width(line(room)) <= room);
  }
  // A number that is wider than its column takes the room of further ones.
  const auto wide = status(R"({"examples":1246912,"recent_r2":-1234567.5,"recent_r2_error":1e-9})");
  CHECK(watch_line("15:04:05", wide, nullptr, 0, 39) == "    1,246,912 -1234567.500 ± 1e-09");
}

TEST_CASE("a line of watch bears what is not there") {
  CHECK(watch_line("15:04:05", {}, nullptr, 0) ==
        "15:04:05             –      – –                    –            –        –        –    –");
  const auto nulls = status(R"({"examples":null,"phase":null,"progressive_loss":null,"queue_bytes":null})");
  CHECK(watch_line("15:04:05", nulls, &nulls, 1) == watch_line("15:04:05", {}, nullptr, 0));
}

TEST_CASE("a frozen daemon shows how what comes now is predicted") {
  const auto now = status(R"({"examples":1000,"phase":2,"frozen":true,"progressive_loss":0.5,"recent_r2":0.9,
                              "recent_r2_error":0.01,"frozen_loss":4,"frozen_loss_error":0.5,
                              "frozen_recent_r2":-0.25,"frozen_recent_r2_error":0.125,"recent_rmse":9,
                              "frozen_recent_rmse":1.5})");
  CHECK(watch_line("15:04:05", now, nullptr, 0) ==
        "15:04:05         1,000      – frozen         4 ± 0.5 -0.250 ± 0.1      1.5        –    –");
  // Before the first of them what was learned is what is known.
  const auto first = status(R"({"frozen":true,"recent_r2":0.5,"frozen_recent_r2":null})");
  CHECK(watch_line("15:04:05", first, nullptr, 0) ==
        "15:04:05             –      – frozen               –        0.500        –        –    –");
}

TEST_CASE("a daemon that began again has no rates") {
  const auto before = status(R"({"examples":100,"attributes_revealed":100})");
  const auto now = status(R"({"examples":5,"attributes_revealed":5,"phase":"a\u001b[2J very long phase"})");
  CHECK(watch_line("15:04:05", now, &before, 1) ==
        "15:04:05             5      – a\\x1b…               –            –        –        –    –");
}

}  // namespace watch_test
