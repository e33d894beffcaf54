#pragma once

#include <string>

#include "daemon/durability/checkpointer.h"
#include "daemon/statistics/statistics.h"
#include "learn/options/options.h"

namespace glimpse {

/// Why a run whose inputs have ended learned nothing that it was given to learn; empty: it did, or it
/// predicted with a model that was learned before, or there was nothing new.
std::string why_nothing_was_learned(const Statistics& s);

/// Logs what a run has come to: counts, the loss, what was bounded or refused, where the state is kept.
void log_summary(const Statistics& s, const CheckpointStatus& checkpoint, StepKind step);

}  // namespace glimpse
