#pragma once

#include <boost/json.hpp>

#include "daemon/reports/exposition.h"
#include "daemon/statistics/statistics.h"

namespace glimpse {

/// The losses of the first label, or of classes, and what is made of them.
void add_losses(const Statistics& statistics, boost::json::object& status);

/// What /v1/status has of each of several labels, in their order.
boost::json::value labels_json(const Statistics& statistics);

/// The metrics of the same, by `label`; none where there is one.
void add_label_metrics(const Statistics& statistics, Exposition& out);

}  // namespace glimpse
