#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/feeds/block.h"
#include "daemon/http/http_types.h"

namespace glimpse {

/// ?label=NAME of a request, where there are several `labels`; none: it names none. Errors (kInvalidOption):
/// there is one label, or none of this name.
Result<std::optional<std::size_t>> read_label_query(const HttpRequest& request,
                                                    const std::vector<std::string>& labels);

/// The label called `name`. The same errors.
Result<std::size_t> find_label(const std::string& name, const std::vector<std::string>& labels);

/// The refusal of a question about an example known in part that names none of several labels.
HttpResponse partial_needs_label();

/// A label's name as JSON, which holds no line end: also for headers.
std::string label_text(const std::string& name);

/// `body`, an object of JSON, with the label that it is of in front; unchanged where there is one.
std::string with_label(std::string body, const std::vector<std::string>& labels, std::size_t label);

/// The predictions of each label: {"predictions": {"temp": […], "cnt": […]}, and, where some examples lacked
/// values, "standard_errors" in the same form, without the end.
std::string label_predictions_json(const std::vector<LabelPredictions>& predictions,
                                   const std::vector<std::string>& labels);

}  // namespace glimpse
