#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/feeds/block.h"

namespace glimpse {

/// What the first row of a table in a body showed. A client that sends a table in pieces says it of all
/// later ones, so that they are read as the first.
struct TableFacts {
  char delimiter = ',';
  std::uint64_t header_line = 0;  ///< from 1 (BodyReading::first_line); 0: the first row was no header
};

/// Of what came through `feed` so far; nothing: it is no table, no row of it could be read, or it carries a
/// named source, whose first row may have come long ago. The trainer's thread.
std::optional<TableFacts> table_facts(const Feed& feed);

/// {"delimiter":",","header_line":1}, with a word of kDelimiters; null: no header.
std::string table_json(const TableFacts& facts);

}  // namespace glimpse
