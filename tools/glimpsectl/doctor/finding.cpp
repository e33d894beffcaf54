#include "glimpsectl/doctor/finding.h"

#include <algorithm>
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "glimpsectl/format/table.h"

namespace glimpse::ctl {

namespace json = boost::json;

const char* name_of(Verdict verdict) {
  constexpr const char* kNames[] = {"ok", "warning", "error"};
  return kNames[static_cast<int>(verdict)];
}

Verdict worst_of(const Findings& findings) {
  Verdict worst = Verdict::kOk;
  for (const Finding& finding : findings) worst = std::max(worst, finding.verdict);
  return worst;
}

std::string findings_report(const Findings& findings) {
  std::size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, display_width(finding.what));
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{:<7}  {}  {}\n", name_of(finding.verdict), padded(finding.what, width, true),
                        printable(finding.value));
    if (finding.verdict == Verdict::kOk) continue;
    text += fmt::format("         wanted: {}\n         mend: {}\n", printable(finding.constraint),
                        printable(finding.mend));
  }
  return text;
}

std::string findings_json(const Findings& findings) {
  json::array all;
  for (const Finding& finding : findings)
    all.push_back(json::object{{"verdict", name_of(finding.verdict)},
                               {"what", finding.what},
                               {"value", finding.value},
                               {"constraint", finding.constraint},
                               {"mend", finding.mend}});
  return json::serialize(json::object{{"verdict", name_of(worst_of(findings))}, {"findings", all}});
}

}  // namespace glimpse::ctl
