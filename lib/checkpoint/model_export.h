#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// A model as a safetensors file for others to load: tensors "weights" (F64 [d]) and "bias" (F64 [1]), so
/// that prediction = bias + ⟨weights, x⟩ in the user's units; of C classes their scores, with as many biases
/// and C·d weights, those of one class after those of another; and `provenance` as the strings of
/// __metadata__. Where weights are of features, `attributes` are those of each, as the tensor "attributes"
/// (U32); else it is empty, and there is none. Where some are products, `degrees` says how many attributes
/// each has, as the tensor "degrees" (U32), and these are neighbours in `attributes`. `errors`, where there
/// are any, are the weights' standard errors, as the tensor "weight_errors" (F64 [d]; NaN: not known).
/// Errors: kInvalidInput when a string of the provenance is not UTF-8 or a name occurs twice; kTooLarge past
/// 100 MB of it. Thread-safety: a pure function. Cost: one copy of the weights.
Result<std::string> encode_safetensors(std::span<const double> weights, std::span<const double> bias,
                                       std::span<const Text> provenance,
                                       std::span<const std::uint32_t> attributes = {},
                                       std::span<const std::uint32_t> degrees = {},
                                       std::span<const double> errors = {});

}  // namespace glimpse
