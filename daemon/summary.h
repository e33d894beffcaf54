#pragma once

#include "daemon/durability/checkpointer.h"
#include "daemon/training/statistics.h"
#include "learn/core/options.h"

namespace glimpse {

/// Logs what a run has come to: counts, the loss, what was bounded or refused, where the state is kept.
void log_summary(const Statistics& s, const CheckpointStatus& checkpoint, StepKind step);

}  // namespace glimpse
