#include "data/text/text_kernel.h"

#include <vector>

#include "data/text/text_kernel_select.h"

namespace glimpse {

namespace {

std::vector<const TextKernel*> kernels_of_this_processor() {
  std::vector<const TextKernel*> kernels;
#if defined(__x86_64__)
  // These also ask whether the operating system keeps the wide registers.
  const bool has_bits = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                        __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("pclmul");
  if (has_bits && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2"))
    kernels.push_back(&kAvx512Kernel);
  if (has_bits && __builtin_cpu_supports("avx2")) kernels.push_back(&kAvx2Kernel);
#elif defined(__aarch64__)
  kernels.push_back(&kNeonKernel);
#endif
  kernels.push_back(&kPortableKernel);
  return kernels;
}

}  // namespace

std::span<const TextKernel* const> text_kernels() {
  static const std::vector<const TextKernel*> kernels = kernels_of_this_processor();
  return kernels;
}

const TextKernel& text_kernel() { return *text_kernels().front(); }

}  // namespace glimpse
