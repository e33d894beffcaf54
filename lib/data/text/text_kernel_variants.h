#pragma once

#include "data/text/text_kernel.h"

namespace glimpse {

// One object for each kind of processor, in files of their own. text_kernels() knows which of them run here.

extern const TextKernel kPortableKernel;

#if defined(__x86_64__)
extern const TextKernel kAvx2Kernel;
extern const TextKernel kAvx512Kernel;
#endif

#if defined(__aarch64__)
extern const TextKernel kNeonKernel;
#endif

}  // namespace glimpse
