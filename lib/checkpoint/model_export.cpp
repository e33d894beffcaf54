#include "checkpoint/model_export.h"

#include <utility>
#include <vector>

#include "checkpoint/safetensors.h"

namespace glimpse {

Result<std::string> encode_safetensors(std::span<const double> weights, std::span<const double> bias,
                                       std::span<const Text> provenance,
                                       std::span<const std::uint32_t> attributes,
                                       std::span<const std::uint32_t> degrees,
                                       std::span<const double> errors) {
  std::vector<TensorView> tensors{{"weights", ElementType::kF64, std::as_bytes(weights)},
                                  {"bias", ElementType::kF64, std::as_bytes(bias)}};
  if (!attributes.empty()) tensors.push_back({"attributes", ElementType::kU32, std::as_bytes(attributes)});
  if (!degrees.empty()) tensors.push_back({"degrees", ElementType::kU32, std::as_bytes(degrees)});
  if (!errors.empty()) tensors.push_back({"weight_errors", ElementType::kF64, std::as_bytes(errors)});
  GLIMPSE_TRY_ASSIGN(const auto layout, lay_out_safetensors(std::move(tensors), provenance));
  return layout.bytes();
}

}  // namespace glimpse
