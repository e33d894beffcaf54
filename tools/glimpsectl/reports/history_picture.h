#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "glimpsectl/client/http_client.h"
#include "glimpsectl/reports/history_data.h"

namespace glimpse::ctl {

/// The columns of /v1/history that a picture and history_lines() draw, behind `since` examples; of an older
/// daemon, which lacks some of them, all that it has. `label`: of several, which; empty: the first, or the
/// only one. Errors: HttpClient::get()'s; kCorrupt: it is no history.
Result<HistoryData> ask_history(const HttpClient& client, std::uint64_t since, std::string_view label);

/// How learning went, as SVG: `of` over examples on a log axis, with standard errors as bands and events
/// marked. `of`: "r2", "loss", "wrong" (of classes that were held out), or "auto": R2 where it is known,
/// else the loss. Errors (kInvalidInput): there is nothing to draw yet, and why.
Result<std::string> history_picture(const HistoryData& history, std::string_view of);

}  // namespace glimpse::ctl
