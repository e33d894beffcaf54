#include "daemon/config/option_table.h"

namespace glimpse {

namespace {

using Types = OptionTypes<Configuration>;

constexpr std::uint64_t kMany = 1000000000000000000;

bool has_costs(const Configuration& c) { return !c.costs_file.empty(); }
bool plans_live(const Configuration& c) { return c.plan_ttl.count() > 0; }

// The learner's own limit of an example.
DaemonOption with_costs() {
  DaemonOption option = of_learner(learner_option("budget-cost"));
  option.rules.add({has_costs, "has no effect without --costs FILE: without prices --budget is the limit"});
  return option;
}

}  // namespace

std::vector<DaemonOption> buying_options() {
  return {
      {.name = "costs",
       .value = "FILE",
       .sentence = "what attributes cost, a line each: ATTRIBUTE PRICE [GROUP]; default: 1 each",
       .example = "/etc/glimpse/costs.txt",
       .details =
           R"(What attributes cost: a line each, ATTRIBUTE PRICE [GROUP], by name or number from 0; '@GROUP PRICE'
is what the members of a group share, paid once an example; '* PRICE' is for all that are not
listed. Prices have at most six digits after the point. Default: every attribute costs 1.)",
       .type = Types::text(at(&Configuration::costs_file))},
      with_costs(),
      {.name = "total-budget",
       .value = "N",
       .sentence = "stop buying once so many attributes were bought",
       .example = "100000",
       .details =
           R"(Stop buying once so many attributes were bought, or so much was paid, open plans included: asks are
answered with 409 then and labelled examples skipped, predictions go on. Counted since the beginning
of the stream, over restarts.)",
       .type = Types::whole(at(&Configuration::spending, &SpendingLimits::attributes), 1, kMany)},
      {.name = "total-cost",
       .value = "C",
       .sentence = "stop buying once so much was paid",
       .example = "25000",
       .type = Types::parsed(at(&Configuration::spending, &SpendingLimits::cost), "an amount above 0",
                             parse_positive_money),
       .rules = {{has_costs,
                  "has no effect without --costs FILE: without prices --total-budget is the limit"}}},
      {.name = "max-plans",
       .value = "N",
       .sentence = "plans of /v1/ask that may be open at once",
       .standard = "100000",
       .details =
           R"(How many plans of /v1/ask may be open at once; of as many closed ones it is remembered what became
of them. A plan takes about 150 bytes, 4 for each of its attributes and, unless pairwise, 16 for
each draw, and is in every checkpoint.)",
       .type = Types::whole(at(&Configuration::max_plans), 1, 100000000),
       .rules = {{has_http, "has no effect without --http ADDRESS, where plans are asked for"}}},
      {.name = "plan-ttl",
       .value = "TIME",
       .sentence = "how long a plan waits for its values",
       .standard = "7d",
       .details =
           R"(How long a plan waits for its values before it expires, unless the ask says otherwise: ms, s, m, h
or d.)",
       .type = Types::duration(at(&Configuration::plan_ttl)),
       .rules = {{has_http, "has no effect without --http ADDRESS, where plans are asked for"},
                 {plans_live, "must be above 0"}}},
  };
}

}  // namespace glimpse
