#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "daemon/feeds/block.h"
#include "daemon/feeds/source_table.h"
#include "data/records/attribute_names.h"

namespace glimpse {

/// How a source begins: a feed takes it up, and what its readers must know of its first records is kept.
/// Thread-safety: the trainer thread's.

/// Lets a feed that nothing has come from yet carry the source `name`. Records of the source before `from`
/// (none: all that are inside) will not come. The feed counts its other records that are inside, and does not
/// learn from them. The feed that carried it before is retired. Its `source`, `framing` and `records` are
/// set. Errors: kUnavailable when there are too many sources, or one that cannot be retired carries it;
/// kInvalidInput when records between those inside and `from` would be missing.
Status open_source(SourceTable& sources, AttributeNames& names, const std::shared_ptr<Feed>& feed,
                   const std::string& name, std::optional<std::uint64_t> from);

/// Whether the first records of such a feed are kept: of rows there is nothing to keep, they are all alike.
bool is_kept_whole(const Feed& feed);
/// Keeps of a record that a reader opened, with that outcome, what one that goes on later must see. The feed
/// has a source whose opening is not whole yet.
void note_opening(Feed& feed, std::string_view record, const Status& opened);

}  // namespace glimpse
