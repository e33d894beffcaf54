#pragma once

#include <boost/program_options/options_description.hpp>

namespace glimpse {

/// Every option of glimpsed with the text of --help: what may stand on the command line and in the file of
/// --config. conf/glimpsed.conf says more of each. All values are texts; reading them is configuration.cpp's.
boost::program_options::options_description described_options();

}  // namespace glimpse
