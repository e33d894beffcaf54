#pragma once

#include <memory>
#include <optional>
#include <string>

#include "daemon/api/query.h"
#include "daemon/config/configuration.h"
#include "daemon/feeds/block.h"
#include "daemon/training/stream_processor.h"

namespace glimpse {

/// A feed of `processor` that reads as `configuration` says, and as `reading` says where that is asked of a
/// body. `sampled`: what a sample of the same input showed; `known`: the
/// form of the table that was learned from. Thread-safety: the processor's.
std::shared_ptr<Feed> make_feed_of(const Configuration& configuration, StreamProcessor& processor,
                                   const std::shared_ptr<Door>& door, const BodyReading& reading,
                                   const std::string& addressable_name = {},
                                   const std::optional<RecordForm>& sampled = std::nullopt,
                                   const std::shared_ptr<const TableForm>& known = nullptr);

}  // namespace glimpse
