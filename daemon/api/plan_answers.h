#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "daemon/training/plan_desk.h"

namespace glimpse {

// What the endpoints about plans answer, as JSON. Pure.

/// "2026-11-28T10:00:00Z"
std::string utc_text(double seconds_since_1970);

std::string asked_json(const AskedPlans& plans);
/// Objects with commas between them, and before the first unless `is_first`; adds those that were learned to
/// `learned`.
std::string told_results_json(const std::vector<TellAnswer>& answers, bool is_first, std::size_t& learned);
/// One answer without the array around it; those that are errors have an "error" as other errors have.
std::string told_json(const TellAnswer& answer);

/// A page of GET /v1/plans.
struct OpenPlansPage {
  struct Row {
    PlanId id = 0;
    std::string prefix = {};  ///< as AskedPlans::prefix
    double expires_at = 0;
    Money cost = 0;
    std::vector<Attribute> attributes;
    std::vector<std::string> names;
    bool has_label = false;  ///< of several all
    bool has_several = false;
    std::vector<std::string> told = {};  ///< of several labels those that were told
    bool has_values = false;
  };
  std::vector<Row> rows;
  bool more = false;  ///< plans follow the last
  std::size_t open = 0;
  PlanBook::Counts counts;
};
std::string plans_json(const OpenPlansPage& page);

}  // namespace glimpse
