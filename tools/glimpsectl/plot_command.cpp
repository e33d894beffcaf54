#include "glimpsectl/client/http_client.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/input/console.h"
#include "glimpsectl/reports/history_data.h"
#include "glimpsectl/reports/history_picture.h"

namespace glimpse::ctl {

Status plot_history(const CommandLine& line, Console& console) {
  const bool to_terminal = console.out_is_terminal && (line.output.empty() || line.output == "-");
  if (to_terminal && !line.json)
    return failure(ErrorCode::kInvalidOption, "plot must have --output FILE or a pipe, not a terminal");
  const HttpClient client(line.server, line.timeout, line.max_answer);
  const std::string target = "/v1/history";
  if (line.json) {
    const std::string query = line.label.empty() ? "" : "?label=" + as_query_value(line.label);
    GLIMPSE_TRY_ASSIGN(const auto body, client.get(target + query));
    return write_output(line.output, with_final_newline(body), console);
  }
  const auto history = ask_history(client, 0, line.label);
  if (!history && history.error().code == ErrorCode::kCorrupt)
    return client.unreadable(target, history.error().message);
  if (!history) return history.error();
  GLIMPSE_TRY_ASSIGN(const auto picture, history_picture(*history, line.plotted));
  return write_output(line.output, picture, console);
}

}  // namespace glimpse::ctl
