#pragma once

#include <boost/json/object.hpp>

#include "daemon/feeds/block.h"
#include "daemon/reports/exposition.h"
#include "daemon/statistics/statistics.h"

namespace glimpse {

/// Of inputs that are topics: how far each partition is learned from, and what is left. Pure, but for what
/// the readers of topics note meanwhile (TopicProgress).

/// Adds `tombstones`, `lag`, `trouble` and `partitions` to what the status says of that door.
void add_topic(const Door& door, boost::json::object& source);

/// The metrics of all topics; none where there is no topic.
void add_topics(const Statistics& statistics, Exposition& out);

}  // namespace glimpse
