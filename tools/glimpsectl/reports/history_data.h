#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glimpse::ctl {

/// What GET /v1/history answered, for pictures and lines.
struct HistoryData {
  struct Event {
    std::string name;
    double examples;
    double value;            ///< NaN: none
    std::string label = {};  ///< of several the one that it is of
  };
  double examples = 0;  ///< of now, which may be a little beyond the last sample
  double promotions = 0;
  std::string label;  ///< of several the one that losses are of
  double run = 0;     ///< which process of the daemon; 0: it does not tell
  std::map<std::string, std::vector<double>, std::less<>> columns;  ///< of one length; NaN: not known
  std::vector<Event> events;

  /// Empty where there is no such column.
  const std::vector<double>& column(std::string_view name) const;
  /// Of the last sample, to be asked with ?since=.
  std::uint64_t last() const;
  /// Adds the samples of an answer that was asked for with ?since=last(), and events that are new. False: it
  /// does not go on from this, and the whole is to be asked for again.
  bool append(const HistoryData& newer);
};

/// Errors (kCorrupt): it is no answer of /v1/history.
Result<HistoryData> read_history(std::string_view body);

/// "phase 2", "change of the stream", …, for people.
std::string event_text(const HistoryData::Event& event);

}  // namespace glimpse::ctl
