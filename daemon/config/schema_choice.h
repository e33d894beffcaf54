#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "daemon/config/configuration.h"
#include "data/table_schema.h"

namespace glimpse {

/// How `configuration` says that inputs are read.
TableSchema schema_of(const Configuration& configuration);

/// Brings `configuration` to how the records of `state` were read: what was not given is taken from there.
/// Columns to ignore and categories add up. Errors (kInvalidOption): an option was given and reads records
/// differently, unless --schema-change allows it. Where nothing was learned so far, all is as given. True:
/// what the first table was does not hold any more. The log reports what was taken, and a state of an earlier
/// release.
Result<bool> take_schema(Configuration& configuration, const State& state);

/// --categories as attributes: "#3" becomes the name of the attribute in this column of `layout`, which has
/// no width where nothing is known of the columns. Errors (kInvalidOption): digits alone where `is_table`; a
/// column that is no attribute's.
Status name_category_columns(std::vector<std::string>& categories, const TableLayout& layout, bool is_table,
                             const AttributeNames& names);

/// Options of reading that `next` has as they were given to `running` too are those of `running`.
void keep_schema(Configuration& next, const Configuration& running);

}  // namespace glimpse
