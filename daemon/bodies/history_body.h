#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/statistics/history.h"

namespace glimpse {

/// What GET /v1/history is asked for.
struct HistoryQuery {
  std::uint64_t since = 0;           ///< samples of more examples alone, and events of no fewer
  std::vector<std::size_t> columns;  ///< places in history_columns()
  std::size_t label = 0;             ///< of several, which; ?label= is read elsewhere
};

/// What an answer is of.
struct HistoryMoment {
  std::uint64_t run = 0;       ///< of which process: when its doors were made, milliseconds since 1970
  std::uint64_t examples = 0;  ///< of now
  std::uint64_t promotions = 0;
};

/// The columns of an answer: those of a sample, and of each loss R2 with its error, and its root.
const std::vector<std::string>& history_columns();

/// Reads "since=1000&columns=examples,r2". Errors: kInvalidInput.
Result<HistoryQuery> read_history_query(const std::string& query);

/// The body of /v1/history. Counts and the time are exact, measured numbers have seven digits, what is not
/// known is null. `labels`: of several the names. Pure.
std::string history_json(const HistoryCopy& history, const HistoryQuery& query, const HistoryMoment& now,
                         const std::vector<std::string>& labels = {});

}  // namespace glimpse
