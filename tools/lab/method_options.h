#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/option_row.h"
#include "lab/experiments/cross_validation.h"
#include "lab/experiments/method.h"

namespace glimpse {

/// A method as a command line has it.
struct MethodOptions {
  Method method;
  std::string step;  ///< as it was written
};

/// The rows of the commands that run a method: --algorithm, the learner's options that experiments set, with
/// the defaults of the papers, --passes and --buying.
std::vector<OptionRow> method_options();

/// --cv, --cv-repeats, --radii, --steps.
std::vector<OptionRow> tuning_options();

/// What --step may be beside --cv.
template <class Target, class MethodPlace, class TuningPlace>
OptionRule step_beside_cv(MethodPlace method, TuningPlace tuning) {
  return OptionRule::of<Target>(
      [=](const Target& target) {
        const StepKind step = method(target).method.learner.step;
        return tuning(target).folds == 0 || step == StepKind::kNumber || step == StepKind::kAdaGrad;
      },
      "--cv FOLDS would choose a number in its place; leave one of the two out");
}

/// What cross-validation chooses from; nothing where it has no folds. A radius or a step's number that is
/// given is the only candidate.
std::optional<TuningOptions> tuning_of(const TuningOptions& given, const MethodOptions& method);

}  // namespace glimpse
