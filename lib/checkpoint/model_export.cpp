#include "checkpoint/model_export.h"

#include <utility>
#include <vector>

#include "checkpoint/safetensors.h"

namespace glimpse {

Result<std::string> encode_safetensors(std::span<const double> weights, double bias,
                                       std::span<const Text> provenance) {
  std::vector<TensorView> tensors{{"weights", ElementType::kF64, std::as_bytes(weights)},
                                  {"bias", ElementType::kF64, std::as_bytes(std::span(&bias, 1))}};
  const auto layout = lay_out_safetensors(std::move(tensors), provenance);
  if (!layout) return layout.error();
  return layout->bytes();
}

}  // namespace glimpse
