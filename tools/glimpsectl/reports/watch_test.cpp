#include "glimpsectl/reports/watch.h"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

#include "glimpsectl/format/table.h"

namespace watch_test {

using namespace glimpse::ctl;

namespace {

boost::json::object status(std::string_view json) { return boost::json::parse(json).as_object(); }

}  // namespace

TEST_CASE("a line of watch stands under its titles, with rates since the last") {
  const auto before = status(R"({"examples":1000000,"attributes_revealed":4000000})");
  const auto now =
      status(R"({"examples":1246912,"attributes_revealed":4987648,"phase":"second","queue_bytes":1048576,
                              "progressive_loss":0.12345,"progressive_loss_error":0.00123,
                              "recent_r2":0.9303,"recent_r2_error":0.0213,
                              "checkpoint_age_seconds":12.5})");
  CHECK(watch_header() == "time          examples   ex/s phase    loss ± error   R2 ± error    queue  ckpt");
  CHECK(watch_line("15:04:05", now, &before, 2) ==
        "15:04:05     1,246,912   123k seco… 0.1235 ± 0.0012 0.930 ± 0.02  1.0 MiB   12s");
  CHECK(display_width(watch_header()) < 80);
}

TEST_CASE("a line of watch bears what is not there") {
  CHECK(watch_line("15:04:05", {}, nullptr, 0) ==
        "15:04:05             –      – –                   –            –        –     –");
  const auto nulls = status(R"({"examples":null,"phase":null,"progressive_loss":null,"queue_bytes":null})");
  CHECK(watch_line("15:04:05", nulls, &nulls, 1) == watch_line("15:04:05", {}, nullptr, 0));
}

TEST_CASE("a daemon that began again has no rates") {
  const auto before = status(R"({"examples":100,"attributes_revealed":100})");
  const auto now = status(R"({"examples":5,"attributes_revealed":5,"phase":"a\u001b[2J very long phase"})");
  CHECK(watch_line("15:04:05", now, &before, 1) ==
        "15:04:05             5      – a\\x1…               –            –        –     –");
}

}  // namespace watch_test
