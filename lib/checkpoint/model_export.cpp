#include "checkpoint/model_export.h"

#include <utility>
#include <vector>

#include "checkpoint/safetensors.h"

namespace glimpse {

Result<std::string> encode_safetensors(std::initializer_list<NamedNumbers<double>> numbers,
                                       std::initializer_list<NamedNumbers<std::uint32_t>> indices,
                                       std::span<const Text> provenance) {
  std::vector<TensorView> tensors;
  for (const auto& [name, values] : numbers)
    if (!values.empty()) tensors.push_back({name, ElementType::kF64, std::as_bytes(values)});
  for (const auto& [name, values] : indices)
    if (!values.empty()) tensors.push_back({name, ElementType::kU32, std::as_bytes(values)});
  GLIMPSE_TRY_ASSIGN(const auto layout, lay_out_safetensors(std::move(tensors), provenance));
  return layout.bytes();
}

}  // namespace glimpse
