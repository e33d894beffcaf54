#include <doctest/doctest.h>

#include "glimpsectl/reports/reports.h"

namespace checkpoints_report_test {

using namespace glimpse;
using namespace glimpse::ctl;

TEST_CASE("checkpoints are a table, in the order of the daemon") {
  const auto report = checkpoints_report(
      R"({"checkpoints":[{"name":"checkpoint-000000000002-2000.safetensors","examples":2000,"bytes":1536,)"
      R"("written_at":1795659701.47},{"name":"b","examples":10,"bytes":12,"written_at":0,"more":1}]})");
  CHECK(report.value() ==
        "checkpoint                                examples     size  written\n"
        "checkpoint-000000000002-2000.safetensors     2,000  1.5 KiB  2026-11-26 02:21:41 UTC\n"
        "b                                               10     12 B  1970-01-01 00:00:00 UTC\n");
}

TEST_CASE("what is missing in a row of checkpoints, or is no number, is shown as that") {
  CHECK(checkpoints_report(R"({"checkpoints":[{"name":3,"examples":"x","written_at":1e300}]})").value() ==
        "checkpoint  examples  size  written\n–                  –     –  –\n");
}

TEST_CASE("an answer that has no list of checkpoints is told as that") {
  for (const char* body : {"[]", "{}", R"({"checkpoints":1})", R"({"checkpoints":[1]})", "", "{"}) {
    CAPTURE(body);
    CHECK(checkpoints_report(body).error().code == ErrorCode::kCorrupt);
  }
}

}  // namespace checkpoints_report_test
