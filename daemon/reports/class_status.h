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

/// What status and metrics tell of a classifier: its classes, and how good its probabilities were for
/// records that were held out, or came while frozen, by ClassReport.

/// "classes" of /v1/status: {"count", "first": [{"name", "examples"}, …], "slope"}; null of a regression.
boost::json::value classes_json(const Statistics& statistics);
/// "held_out_classes", "frozen_classes": error, log loss, Brier score and the expected calibration error,
/// with standard errors and of the recent ones, "calibration" in ten bins, and "confusion", a row for each
/// class that an example had and a column for each that was predicted, those of all other classes last. null:
/// there were none.
boost::json::value class_report_json(const HeldOut& records);

/// The same as metrics. Confusion counts are of as many classes as a Prometheus server should bear.
void add_class_metrics(const Statistics& statistics, Exposition& out);
inline constexpr std::size_t kMostConfusedMetrics = 10;

}  // namespace glimpse
