#include "daemon/first_look.h"

#include <spdlog/spdlog.h>

#include "daemon/growth.h"
#include "daemon/topic_doors.h"

namespace glimpse {

Result<std::optional<FirstRecords>> ask_inputs(const Configuration& c, const InputSources& inputs) {
  FormatOptions options;
  options.table = c.table;
  options.absent = c.absent;
  std::optional<FirstRecords> first;
  const auto enough = [&](std::string_view bytes, bool is_whole) -> Result<bool> {
    GLIMPSE_TRY_ASSIGN(first, read_first_records(bytes, is_whole, c.format, options));
    return first.has_value();
  };
  for (const auto& input : inputs.files) {
    const Status status = input->look_ahead(2 * c.max_line_bytes, enough);
    if (!status)
      return failure(
          status.error().code == ErrorCode::kSystem ? ErrorCode::kSystem : ErrorCode::kInvalidOption,
          "{}: {}", input->name(), status.error().message);
    if (!first) continue;
    const std::string_view compression = input->compression();
    spdlog::info("{}: {}{}{}", input->name(), compression, compression.empty() ? "" : ", ",
                 first->describe());
    return first;
  }
  for (const auto& topic : inputs.topics) {
    const Status status =
        look_at(*topic, 2 * c.max_line_bytes, [&](std::string_view lines) { return enough(lines, false); });
    if (!status) return failure(ErrorCode::kInvalidOption, "{}: {}", name_of(*topic), status.error().message);
    spdlog::info("{}: {}", name_of(*topic), first->describe());
    return first;
  }
  return first;
}

std::vector<std::string> names_of_headers(const Configuration& c, const InputSources& inputs,
                                          const State& state) {
  FormatOptions options;
  options.table = c.table;
  const bool has_doors = !c.listen.empty() || !c.http.empty();
  for (const auto& each : inputs.files) {
    std::unique_ptr<InputSource> apart;  // of what is read on from its middle
    if (each->is_regular())
      if (auto opened = InputSource::open(each->is_standard() ? "/dev/stdin" : each->name()); opened)
        apart = std::move(*opened);
    if (each->is_regular() ? apart == nullptr : has_doors) continue;
    InputSource* const input = apart ? apart.get() : each.get();
    std::vector<std::string> names;
    const Status status =
        input->look_ahead(2 * c.max_line_bytes, [&](std::string_view bytes, bool is_whole) -> Result<bool> {
          const auto read = read_first_records(bytes, is_whole, c.format, options);
          if (!read || !*read) return !read;
          names = (*read)->names;
          return true;
        });
    if (status && !names.empty()) return names_with_new(state, names);
  }
  return {};
}

}  // namespace glimpse
