#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// A list of numbers under a name.
template <class T>
struct NamedNumbers {
  const char* name;
  std::span<const T> values;
};

/// A model as a safetensors file for others to load: the lists that are not empty as tensors (F64, U32) of
/// one dimension, and `provenance` as the strings of __metadata__. Errors: kInvalidInput when a string of the
/// provenance is not UTF-8 or a name occurs twice; kTooLarge past 100 MB of it. Thread-safety: a pure
/// function. Cost: one copy of the numbers.
Result<std::string> encode_safetensors(std::initializer_list<NamedNumbers<double>> numbers,
                                       std::initializer_list<NamedNumbers<std::uint32_t>> indices,
                                       std::span<const Text> provenance);

}  // namespace glimpse
