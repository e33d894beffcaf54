#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/durability/checkpointer.h"
#include "daemon/feeds/block.h"
#include "daemon/http/http_types.h"
#include "data/formats.h"
#include "learn/core/small_model.h"
#include "learn/core/solving.h"

namespace glimpse {

/// What GET /v1/model asks for.
struct ModelQuery {
  std::string format = "json";  ///< json, csv, safetensors or table
  std::size_t top = 20;         ///< rows of a table
  bool is_fresh = false;        ///< of this moment
  SolutionWish wish;
  std::size_t label = 0;                          ///< of several
  std::optional<SmallModelQuestion> small_model;  ///< a model of few attributes, and not of all
};

/// ?top=N of a table for people, where it is given, into `top`; else why it is refused.
std::optional<HttpResponse> read_top(const HttpRequest& request, std::size_t& top);

/// The query of `request` into `query`; else why it is refused.
std::optional<HttpResponse> read_model_query(const HttpRequest& request,
                                             const std::vector<std::string>& labels, ModelQuery& query);

/// ?KEY=true or false into `flag`, false where it is not there; else why it is refused.
std::optional<HttpResponse> read_flag(const HttpRequest& request, const std::string& key, bool& flag);

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

/// How the examples in the body of a request are read.
struct BodyReading {
  Format format = Format::kNdjson;
  std::optional<Absent> absent = {};        ///< nothing: as --absent says
  std::optional<HeaderChoice> header = {};  ///< nothing: as --header says
  std::optional<char> delimiter = {};       ///< nothing: as --delimiter says
  /// The number of its first line in the file that it is a piece of. Beyond 1, and without a header, its
  /// first bytes are not the beginning of a file.
  std::uint64_t first_line = 1;
  bool takes_odd =
      false;  ///< of a prediction: words where numbers are count as missing; else they are refused

  bool ignores_others = false;  ///< columns of a header that are neither attribute nor label; else refused

  /// Whether its first row is to be read as somebody knows it to be: a piece of a larger table.
  bool says_table() const { return header.has_value() || delimiter.has_value(); }
};

/// Of ?format=, else JSON, and of ?absent=, ?header=, ?delimiter=, ?first_line=, ?odd= and ?others=. Errors:
/// kInvalidOption; kInvalidInput for a body that is no JSON where no format was given.
Result<BodyReading> body_reading(const HttpRequest& request);

/// A body as UTF-8 where its beginning shows text in UTF-16; else, and where records are rows of bytes, as it
/// is.
std::string body_as_utf8(std::string body, Format format);

/// Whether the answer is to wait for a checkpoint (?durable=true). Errors: kUnavailable when there are none;
/// kInvalidInput.
Result<bool> wants_durable(const HttpRequest& request, const Checkpointer& checkpointer);

/// What was asked was done, but the checkpoint failed with `error`.
HttpResponse not_durable(const Error& error);

}  // namespace glimpse
