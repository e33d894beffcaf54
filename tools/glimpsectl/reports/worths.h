#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "report/chart.h"

namespace glimpse::ctl {

/// What an attribute is worth to a model as a whole: the share of the label's variance that is lost without
/// it.
struct Worth {
  std::string name;
  double importance = std::nan("");  ///< NaN: not known
  double error = std::nan("");       ///< the standard error of the importance; NaN: not known
  int sign = 0;                      ///< of its weight, where it has one alone
};

/// Those of GET /v1/model?format=json, the largest first and the unknown last: an attribute with several
/// weights, of categories or of dates, once. `model`: parsed. Cost: O(weights), sorted.
std::vector<Worth> worths_of(const boost::json::object& model);

/// The first of them as a table with bars. `of`: " for 'temp'", or nothing.
std::string worth_report(const std::vector<Worth>& worths, const std::string& of = {});

/// The first of them as bars with standard errors. `worths`: not empty.
Chart worth_chart(const std::vector<Worth>& worths);

}  // namespace glimpse::ctl
