#pragma once

#include <string>
#include <vector>

namespace glimpse::ctl {

/// How bad it is. glimpsectl doctor ends with the worst of them as its exit status.
enum class Verdict : int { kOk = 0, kWarning = 1, kError = 2 };

const char* name_of(Verdict verdict);

/// One thing that was looked at.
struct Finding {
  Verdict verdict = Verdict::kOk;
  std::string what;        ///< "room for checkpoints"
  std::string value;       ///< as it is
  std::string constraint;  ///< as it should be
  std::string mend;        ///< what to do; empty where all is well
};

using Findings = std::vector<Finding>;

/// kOk without any.
Verdict worst_of(const Findings& findings);
/// For people: a line each, and below those that are not well what is wanted and what to do.
std::string findings_report(const Findings& findings);
/// {"verdict": …, "findings": [{"verdict", "what", "value", "constraint", "mend"}]}.
std::string findings_json(const Findings& findings);

}  // namespace glimpse::ctl
