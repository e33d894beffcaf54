#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "base/result.h"
#include "daemon/feeds/block.h"
#include "daemon/statistics/statistics.h"
#include "daemon/support/attribute_grid.h"
#include "learn/core/learner.h"

namespace glimpse {

/// What the first row of a table in a body showed. A client that sends a table in pieces says it of all
/// later ones, so that they are read as the first.
struct TableFacts {
  char delimiter = ',';                ///< 0: its rows are divided otherwise than by one character
  std::uint64_t header_line = 0;       ///< from 1 (BodyReading::first_line); 0: the first row was no header
  std::uint64_t odd_values = 0;        ///< words where numbers are, which counted as missing
  std::vector<OddAttribute> odd = {};  ///< of the first attributes that had some
};

/// Of what came through `feed` so far; nothing: it is no table of such rows, no row of it could be read, or
/// it carries a named source, whose first row may have come long ago; and no value was odd. The trainer's
/// thread.
std::optional<TableFacts> table_facts(const Feed& feed);

/// {"delimiter":",","header_line":1}, with a word of kDelimiters; null: no header.
std::string table_json(const TableFacts& facts);

/// Some moments copied out for a query.
struct MomentsSnapshot {
  std::size_t first = 0;  ///< the attribute of the first row
  std::vector<SamplingRow> rows;
  std::vector<std::string> names;  ///< of all attributes
};

/// Of the steady clock, by which ages are told: nobody sets it.
double steady_seconds(std::chrono::steady_clock::time_point time);

/// The facts of /v1/status that the trainer does not know.
struct ServerFacts {
  std::size_t queue_bytes = 0;
  double uptime_seconds = 0;
  double now_seconds = 0;  ///< of the steady clock
  std::string version;
  std::optional<AttributeGrid> grid = std::nullopt;
  boost::json::value fleet = nullptr;  ///< fleet_json(); null: it is no part of one
  std::string columns = "null";        ///< columns_json()
};

/// The columns of tables beside the attributes, and what dates begin with in columns of them: {"label":
/// ["amount"], "ignore": ["#2"], "weight": [], "dates": {"day": "month"}}, by name where that is known.
/// `form`: nullptr where no table was read yet.
std::string columns_json(const TableOptions& table, const TableForm* form);

/// Bodies of the HTTP API, one a function. Pure. Numbers are written with the fewest digits that give the
/// same double again; what is not known is null.
std::string status_json(const Statistics& statistics, const CheckpointStatus& checkpoint,
                        const ServerFacts& facts);
/// Behind a head come the rows, some at a time; JSON ends with "]}".
std::string moments_json_head(std::size_t dimension);
std::string moments_json_rows(const MomentsSnapshot& snapshot);
/// Row `k` alone.
std::string moment_json(const MomentsSnapshot& snapshot, std::size_t k);
/// For people: `rows` of JSON, the attributes of `dimension` that are most likely to be looked at.
std::string moments_table(std::size_t dimension, const std::vector<std::string>& rows);
std::string moments_csv_head();
std::string moments_csv_rows(const MomentsSnapshot& snapshot);
/// Numbers with commas between them, and before the first unless `is_first`; what is not finite is null.
std::string numbers_json(const std::vector<double>& numbers, bool is_first);
/// `standard_errors`: of each prediction, NaN where it is not known; or empty. `table`: of examples that came
/// as one.
std::string predictions_json(const std::vector<double>& predictions,
                             const std::vector<double>& standard_errors, std::uint64_t examples,
                             const std::optional<TableFacts>& table = std::nullopt);
/// The end of that body, behind the last number.
std::string predictions_json_end(std::uint64_t examples, const std::optional<TableFacts>& table);
/// What is inside of a named source, and how much of it survives a crash.
struct SourceCounts {
  std::uint64_t inside = 0;
  std::uint64_t durable = 0;
};
std::string learned_json(const BlockResult& result, const std::optional<SourceCounts>& source = std::nullopt,
                         const std::optional<TableFacts>& table = std::nullopt);
/// `error`, an object of JSON, and beside it the counts of a body of which no example could be read.
std::string none_read_json(const BlockResult& result, const std::string& error);
std::string checkpoint_json(const CheckpointStatus& status);

}  // namespace glimpse
