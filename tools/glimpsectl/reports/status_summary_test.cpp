#include "glimpsectl/reports/status_summary.h"

#include <doctest/doctest.h>

namespace glimpse::ctl {
namespace {

TEST_CASE("a summary of the status says what matters, and what is wrong") {
  CHECK(
      status_summary(R"({"algorithm":"pairwise","dimension":784,"budget":57,"examples":12000,"predictions":3,
    "attributes_revealed":684000,"cost_spent":684000,"progressive_loss":0.147236,"progressive_loss_error":0.0061,
    "recent_loss":0.1243,"recent_loss_error":0.0073,"rmse":0.3837,"recent_rmse":0.3526,
    "held_out_loss":0.16,"held_out_rmse":0.4,"held_out_mean_absolute_error":0.3,"held_out_median_absolute_error":0.25431,"r2":0.852761,"r2_error":0.0061,"recent_r2":null,
    "phase_reason":"phase 1: uniform","model_served":"newest","model_examples":12000,"model_age_seconds":2,
    "checkpoint_name":null,"checkpoint_age_seconds":null,"memory_bytes":1048576,"uptime_seconds":61,
    "parse_errors":0,"drift_alarms":2,"sources":[]})")
          .value() == R"(learner          pairwise, 57 of 784 attributes an example
examples         12,000 learned, 3 predicted
looked at        684,000 attributes, 7.3 % of all
R2               0.853 ± 0.0061
loss             0.147 ± 0.0061, recently 0.124 ± 0.0073
root of it       0.384, recently 0.353
held-out loss    0.160
error, held out  root mean square 0.400, mean 0.300, median 0.25
looks            phase 1: uniform
model            of 12,000 examples, 2 s old
memory           1.0 MiB, up 1 min 01 s
trouble          2 drift alarms
)");
}

TEST_CASE("a summary tells of classes, of an earlier model, of prices and of checkpoints") {
  CHECK(status_summary(R"({"algorithm":"pairwise","examples":10,"dimension":2,"attributes_revealed":20,
    "cost_spent":33.5,"progressive_loss":2.5e-9,"held_out_classes":{"error":0.125,"error_error":0.02},
    "model_examples":8,"model_age_seconds":1,"model_served":"earlier","frozen":true,
    "checkpoint_name":"checkpoint-10","checkpoint_age_seconds":5})")
            .value() == R"(learner          pairwise
examples         10
looked at        20 attributes, 100 % of all, for 33.5
loss             2.5e-09
wrong, held out  12.5 % ± 2
model            of 8 examples, 1 s old, frozen; the earlier model answers
checkpoint       checkpoint-10, 5 s old
trouble          none
)");
}

TEST_CASE("a summary of a model of no examples says what answers") {
  const std::string text = status_summary(R"({"algorithm":"pairwise","examples":300,"model_examples":0,
    "model_age_seconds":86})")
                               .value();
  CHECK(text.find("model     none yet; predictions are the mean of the labels\n") != std::string::npos);
  CHECK(text.find("86 s") == std::string::npos);
}

TEST_CASE("a summary of a frozen daemon tells of what came meanwhile") {
  CHECK(status_summary(
            R"({"algorithm":"pairwise","examples":1,"dimension":2,"r2":0.9,"recent_r2":0.9,"frozen":true,
    "frozen_examples":1,"frozen_r2":-0.5,"frozen_r2_error":0.125,"frozen_recent_r2":-1.5,"frozen_loss":3,
    "frozen_classes":{"error":0.99,"error_error":0.997,"recent_error":0.75,"recent_error_error":0.02},
    "model_examples":1,"drift_alarms":1,"parse_errors":2})")
            .value() == R"(learner        pairwise
examples       1
R2             0.900, recently 0.900
frozen         nothing is learned; 1 labelled example came meanwhile
R2, frozen     -0.500 ± 0.12, recently -1.500
loss, frozen   3.000
wrong, frozen  99.0 % ± 100, recently 75.0 % ± 2
model          of 1 example, frozen
trouble        2 lines that could not be read, 1 drift alarm
)");
  CHECK(status_summary(R"({"frozen":false,"frozen_examples":1,"frozen_r2":0.5})").value() ==
        "trouble  none\n");
}

TEST_CASE("a summary of what is no status is an error, and of a strange one what there is") {
  CHECK(status_summary("[1]").error().code == ErrorCode::kCorrupt);
  CHECK(status_summary(R"({"examples":"many"})").value() == "trouble  none\n");
}

}  // namespace
}  // namespace glimpse::ctl
