#include <cctype>
#include <utility>

#include "glimpsectl/client/http_client.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/reports/plan_reports.h"
#include "glimpsectl/reports/reports.h"
#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

/// As it stands in a URL.
std::string path_segment(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-') {
      result += c;
    } else {
      result += fmt::format("%{:02X}", byte);
    }
  }
  return result;
}

/// Writes the answer as it is, or what `make_report` makes of it.
template <class MakeReport>
Status show_plans(const CommandLine& line, Console& console, const HttpClient& client,
                  const std::string& target, const Result<std::string>& body, MakeReport make_report) {
  if (!body) return body.error();
  const auto text = line.json ? Result<std::string>(with_final_newline(*body)) : make_report(*body);
  if (!text) return client.unreadable(target, text.error().message);
  return write_output("", *text, console);
}

}  // namespace

Status ask_for_plans(const CommandLine& line, Console& console) {
  const HttpClient client(line.server, line.timeout, line.max_answer);
  const std::string target =
      line.partition ? fmt::format("/v1/ask?partition={}", *line.partition) : "/v1/ask";
  PlanRequest request = line.plan;
  request.count = line.count;
  request.label = line.label;
  GLIMPSE_TRY_ASSIGN(const auto reply, send_in_fleet(line.server, line.timeout, "POST", target,
                                                     ask_body(request), "application/json"));
  if (reply.status / 100 != 2) return error_of_reply("POST " + target, reply.status, reply.body);
  return show_plans(line, console, client, target, reply.body,
                    line.plan.for_prediction ? plain_report : asked_report);
}

Status list_plans(const CommandLine& line, Console& console) {
  const HttpClient client(line.server, line.timeout, line.max_answer);
  std::string target = "/v1/plans";
  if (!line.after.empty()) target += "?after=" + path_segment(line.after);
  if (line.limit) target += fmt::format("{}limit={}", line.after.empty() ? '?' : '&', *line.limit);
  return show_plans(line, console, client, target, client.get(target), plans_report);
}

Status abandon_plans(const CommandLine& line, Console& console) {
  std::size_t refused = 0;
  for (const std::string& id : line.ids) {
    const std::string target = "/v1/plans/" + path_segment(id);
    GLIMPSE_TRY_ASSIGN(const auto reply, send_in_fleet(line.server, line.timeout, "DELETE", target));
    if (reply.status / 100 == 2 && !says_abandoned(reply.body, id))
      return HttpClient(line.server, line.timeout).unreadable(target, "it does not say that it is abandoned");
    if (line.json) GLIMPSE_TRY(write_output("", with_final_newline(reply.body), console));
    if (reply.status / 100 == 2) {
      if (line.json) continue;
      GLIMPSE_TRY(write_output("", printable(id) + " abandoned\n", console));
    } else {
      ++refused;
      const auto error = error_of_reply("DELETE " + target, reply.status, reply.body);
      console.err << "glimpsectl: " << printable(error.message) << std::endl;
    }
  }
  if (refused == 0) return {};
  return failure(ErrorCode::kInvalidInput, "{} of {} not abandoned", refused,
                 counted(line.ids.size(), "plan"));
}

}  // namespace glimpse::ctl
