#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "base/result.h"
#include "lab/data/data_source.h"
#include "lab/experiments/cross_validation.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/method.h"

namespace glimpse {

/// The groups of options that the commands of glimpse-lab share. add_… describes a group for --help; read_…
/// takes it from the command line. Errors (kInvalidOption) name option, value and constraint.

void add_data_options(boost::program_options::options_description& options);
Result<DataOptions> read_data_options(const boost::program_options::variables_map& values);

void add_method_options(boost::program_options::options_description& options);
Result<Method> read_method_options(const boost::program_options::variables_map& values);

/// --cv, --cv-repeats, --radii, --steps.
void add_tuning_options(boost::program_options::options_description& options);
/// Nothing where --cv is 0. A radius or step number that is given is the only candidate.
Result<std::optional<TuningOptions>> read_tuning_options(const boost::program_options::variables_map& values,
                                                         const Method& method);

/// --jobs, --quiet.
void add_execution_options(boost::program_options::options_description& options);
Result<Execution> read_execution_options(const boost::program_options::variables_map& values);

/// "100,1000,all" → points in examples.
Result<MeasuringPoints> parse_prefixes(std::string_view text);

/// "10%" → 0.1, above 0% and below 100%. `option` is for the message.
Result<double> parse_share(std::string_view option, std::string_view text);

/// "0.5,1,2", each above 0, in the order given. `option` is for the message.
Result<std::vector<double>> parse_numbers(std::string_view option, std::string_view text);

}  // namespace glimpse
