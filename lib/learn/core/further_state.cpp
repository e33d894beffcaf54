#include "learn/core/further_state.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace glimpse {

namespace {
std::string prefix_of(std::size_t label) { return fmt::format("{}{}.", kFurtherLabel, label); }
}  // namespace

void put_further_state(State& state, std::size_t label, const State& part) {
  const std::string prefix = prefix_of(label);
  for (const Tensor& tensor : part.tensors()) state.put_again(prefix + tensor.name, tensor);
  for (const Text& text : part.texts()) state.put_text(prefix + text.name, text.value);
}

std::optional<State> further_state(const State& state, std::size_t label) {
  const std::string prefix = prefix_of(label);
  std::optional<State> part;
  const auto begun = [&]() -> State& {
    if (!part) part.emplace().begin();
    return *part;
  };
  for (const Tensor& tensor : state.tensors())
    if (tensor.name.starts_with(prefix))
      begun().put_again(std::string_view(tensor.name).substr(prefix.size()), tensor);
  for (const Text& text : state.texts())
    if (text.name.starts_with(prefix))
      begun().put_text(std::string_view(text.name).substr(prefix.size()), text.value);
  if (part) part->finish();
  return part;
}

std::size_t further_labels(const State& state) {
  const auto has = [&](std::size_t label) {
    const std::string prefix = prefix_of(label);
    const auto is_of_label = [&](const Tensor& tensor) { return tensor.name.starts_with(prefix); };
    return std::ranges::any_of(state.tensors(), is_of_label);
  };
  std::size_t count = 0;
  while (has(count + 1)) ++count;
  return count;
}

}  // namespace glimpse
