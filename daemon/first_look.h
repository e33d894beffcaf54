#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "daemon/config/configuration.h"
#include "daemon/ingest/input_source.h"
#include "data/first_records.h"

namespace glimpse {

class Topic;

/// What --input names, opened and not read yet.
struct InputSources {
  std::vector<std::unique_ptr<InputSource>> files;  ///< in their order
  std::vector<std::shared_ptr<Topic>> topics;       ///< of Kafka; none where this was built without it
};

/// What the first records of the first input that has any tell: how many attributes there are, and their
/// names. Waits for them; they are read all the same. Nothing: no input has any record. Errors:
/// kInvalidOption for records that do not tell, kSystem. The log says what was understood.
Result<std::optional<FirstRecords>> ask_inputs(const Configuration& c, const InputSources& inputs);

/// All names where the header of the first table has some beside those of `state` (names_with_new()); else
/// none. With doors open a pipe is not waited for. What is no table, or cannot be read, is told when it is
/// read.
std::vector<std::string> names_of_headers(const Configuration& c, const InputSources& inputs,
                                          const State& state);

}  // namespace glimpse
