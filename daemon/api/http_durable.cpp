#include "daemon/api/http_durable.h"

#include <fmt/format.h>

#include "data/text/text.h"

namespace glimpse {

Result<bool> wants_durable(const HttpRequest& request, const Checkpointer& checkpointer) {
  const std::string text = query_value(request.query, "durable");
  if (text.empty() || text == "false") return false;
  if (text == "true" && !checkpointer.status().enabled)
    return failure(ErrorCode::kUnavailable,
                   "durable=true needs checkpoints: start with --state-directory DIR");
  if (text == "true") return true;
  return failure(ErrorCode::kInvalidInput, "durable {} must be true or false", in_quotes(text));
}

HttpResponse not_durable(const Error& error) {
  return error_response(
      503, "not_durable",
      fmt::format("what was asked is done in memory and not saved, as no checkpoint could be written: {}; "
                  "a restart would lose it: POST /v1/checkpoint once the cause is gone",
                  error.message));
}

}  // namespace glimpse
