#pragma once

#include "base/file.h"
#include "base/result.h"
#include "daemon/config/configuration.h"
#include "data/table_schema.h"

namespace glimpse {

// FILE of --schema: how a table is read, as JSON that a person may edit (lib/data/FORMATS.md).

/// Whether such a file can say it: of tables, and not of strings in objects of JSON.
inline bool is_of_table(const RecordForm& form) {
  return form.table && (form.format == Format::kCsv || form.format == Format::kNdjson);
}

/// Where that file is there, `c` reads tables as it says, and Configuration::decided is their form; else
/// nothing happens. Errors (kInvalidOption): the file cannot be read; a value breaks its rule, with its line;
/// an option was given that contradicts it.
Status take_schema_file(Configuration& c, FileSystem& files);

/// The same of the text of such a file, which is called `where`.
Status take_schema_text(Configuration& c, std::string_view text, const std::string& where);
/// The text of the file of `schema`. REQUIRES: is_of_table().
std::string schema_text(const TableSchema& schema);

/// Writes `schema`, of which is_of_table() holds, to that file, durably. Then as take_schema_file().
Status write_schema_file(Configuration& c, FileSystem& files, const TableSchema& schema);

/// Whether Configuration::decided reads records as those of a checkpoint, of which `known` is the schema,
/// were read. Errors (kInvalidOption): it does not; the first line that differs.
Status check_decided(const Configuration& c, const TableSchema& known);

}  // namespace glimpse
