#pragma once

#include "base/result.h"
#include "daemon/durability/checkpointer.h"
#include "daemon/http/http_types.h"

namespace glimpse {

/// Whether the answer is to wait for a checkpoint (?durable=true). Errors: kUnavailable when there are none;
/// kInvalidInput.
Result<bool> wants_durable(const HttpRequest& request, const Checkpointer& checkpointer);

/// What was asked was done, but the checkpoint failed with `error`.
HttpResponse not_durable(const Error& error);

}  // namespace glimpse
