#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/http/http_types.h"
#include "learn/core/small_model.h"
#include "learn/core/solving.h"

namespace glimpse {

/// What GET /v1/model asks for.
struct ModelQuery {
  std::string format = "json";  ///< json, csv or safetensors
  bool is_fresh = false;        ///< of this moment
  SolutionWish wish;
  std::size_t label = 0;                          ///< of several
  std::optional<SmallModelQuestion> small_model;  ///< a model of few attributes, and not of all
};

/// The query of `request` into `query`; else why it is refused.
std::optional<HttpResponse> read_model_query(const HttpRequest& request,
                                             const std::vector<std::string>& labels, ModelQuery& query);

}  // namespace glimpse
