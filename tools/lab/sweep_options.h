#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/program_options.hpp>

#include "base/result.h"
#include "lab/studies/sweep_data.h"

namespace glimpse {

/// What the commands over several data sets share of their command lines. Errors (kInvalidOption) name
/// option, value and constraint.

/// --data, --only, --label-column, --scale, --test-share, --largest-training, --largest-dimension.
void add_set_options(boost::program_options::options_description& options);
/// The tables of `folder`, if it is not empty, then those of --data; at least one.
Result<std::vector<SweepSet>> read_sets(const std::string& folder,
                                        const boost::program_options::variables_map& values);

/// The folder that comes before all options, taken out of `arguments`; empty where there is none.
std::string take_folder(std::vector<const char*>& arguments);

/// "a,b,c" without its empty parts.
std::vector<std::string> split_list(std::string_view text);
/// A string option; empty where it was not given.
std::string text_of(const boost::program_options::variables_map& values, const char* name);

}  // namespace glimpse
