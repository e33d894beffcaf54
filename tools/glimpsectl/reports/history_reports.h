#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "glimpsectl/client/http_client.h"
#include "report/chart.h"

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

/// The columns of /v1/history that a picture and history_lines() draw, behind `since` examples; of an older
/// daemon, which lacks some of them, all that it has. `label`: of several, which; empty: the first, or the
/// only one. Errors: HttpClient::get()'s; kCorrupt: it is no history.
Result<HistoryData> ask_history(const HttpClient& client, std::uint64_t since, std::string_view label);

/// How learning went: `of` over examples on a log axis, with standard errors as bands and events
/// marked. `of`: "r2", "loss", "wrong" (of classes that were held out), or "auto": R2 where it is known,
/// else the loss. Errors (kInvalidInput): there is nothing to draw yet, and why.
Result<Chart> history_chart(const HistoryData& history, std::string_view of);

/// How learning went, in at most 79 columns, or `room` where that is less: a row each for R2 (or the loss,
/// where R2 is not known), what was held out and the rate, over a log axis of examples, and what happened
/// under it. `has_utf8`: with blocks; else in ASCII alone. In a narrow room the drawing is narrow; without
/// room for that errors are left out, then the drawing, and no number is cut. Each line ends; empty while
/// there are less than two samples. Pure.
std::string history_lines(const HistoryData& history, bool has_utf8, std::size_t room = 79);

}  // namespace glimpse::ctl
