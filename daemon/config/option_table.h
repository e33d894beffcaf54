#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/option_row.h"
#include "daemon/config/configuration.h"
#include "learn/options/learner_option_table.h"

namespace glimpse {

/// Every option of glimpsed but --config, --help and --version; those of research come last. An option is
/// added with a row in one of the files *_options.cpp, or in the learner's table, and the code that uses it.
const std::vector<OptionSection>& option_table();
/// The same rows without their sections.
const std::vector<const OptionRow*>& option_rows();

// The rows of the option table. Those of doors and tables have sources of their names.

/// What attributes cost, and what may be spent.
std::vector<OptionRow> buying_options();
/// Where examples and questions come in, from whom, how they are read and answered.
std::vector<OptionRow> door_options();
/// What the rows of tables (CSV) are.
std::vector<OptionRow> table_options();
/// Labels that are classes.
std::vector<OptionRow> class_options();
/// Checkpoints.
std::vector<OptionRow> durability_options();
/// A fleet over Kafka.
std::vector<OptionRow> fleet_options();
/// Bounds on memory, connections and time.
std::vector<OptionRow> limit_options();
/// The rest.
std::vector<OptionRow> general_options();

// What rows of several sources ask of a configuration, and what they say where it is not so.

inline constexpr const char* kNoCheckpoints = "has no effect without --state-directory DIR";

inline bool keeps_state(const Configuration& c) { return !c.state_directory.empty(); }
inline bool has_http(const Configuration& c) { return !c.http.empty(); }

using GivenOptions = decltype(Configuration::given);

/// --algorithm auto becomes what the options given say: those of a learner that pairwise does not have ask
/// for two-phase-ddaerr, `moments` for ddaerr, `active` for pairwise-screened. Where none says anything it
/// stays, until the dimension is known. A default that is written down says nothing.
void resolve_algorithm(Configuration& configuration, const GivenOptions& given);

/// Whether the options given agree, and each is of use beside the others. The Error (kInvalidOption) tells
/// the first rule of the table that is broken, behind the place of its option in `places`, where it has one
/// ("glimpsed.conf: line 3: ").
Status check_rules(const Configuration& configuration, const GivenOptions& given,
                   const GivenOptions& places = {});

}  // namespace glimpse
