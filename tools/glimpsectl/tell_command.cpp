#include <algorithm>
#include <map>
#include <utility>

#include "glimpsectl/client/http_client.h"
#include "glimpsectl/commands.h"
#include "glimpsectl/input/input_bodies.h"
#include "glimpsectl/reports/plan_reports.h"
#include "json/json_elements.h"
#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// The numbers of the lines, from 1, on which there is something.
std::vector<std::uint64_t> lines_of_items(const LineChunks::Chunk& chunk) {
  std::vector<std::uint64_t> lines;
  std::uint64_t line = chunk.lines_before;
  for (std::size_t begin = 0; begin < chunk.text.size();) {
    const std::size_t end = std::min(chunk.text.find('\n', begin), chunk.text.size());
    ++line;
    const auto text = std::string_view(chunk.text).substr(begin, end - begin);
    if (text.find_first_not_of(kBlanks) != std::string_view::npos) lines.push_back(line);
    begin = end + 1;
  }
  return lines;
}

/// Counts what became of the items. Shows those that were neither learned nor told before, and those whose
/// label is not the one told before.
class TellTally {
 public:
  TellTally(const CommandLine& line, Console& console) : line_(line), console_(console) {}

  /// `lines`: where the items stand; of another number when they do not stand one a line.
  void add(const std::vector<ToldItem>& items, const std::vector<std::uint64_t>& lines) {
    Table table({{"where", true}, {"plan", true}, {"status", true}, {"message", true}});
    for (std::size_t i = 0; i < items.size(); ++i) {
      const ToldItem& item = items[i];
      ++counts_[item.status];
      refused_ += is_refused(item) ? 1 : 0;
      ++all_;
      if (line_.json || (is_settled(item) && !item.contradicts)) continue;
      const auto where =
          lines.size() == items.size() ? fmt::format("line {}", lines[i]) : fmt::format("item {}", all_);
      if (console_.out_is_terminal) {
        table.add({where, item.id, item.status, item.message});
      } else {
        const std::string plan = item.id.empty() ? "" : fmt::format("plan {}: ", item.id);
        const std::string message = item.message.empty() ? "" : ": " + item.message;
        console_.err << printable(fmt::format("glimpsectl: '{}' {}: {}{}{}", line_.file, where, plan,
                                              item.status, message))
                     << '\n';
      }
    }
    console_.err.flush();
    if (!table.empty()) console_.out << table.text() << std::flush;
  }

  /// `is_all`: every request was answered; without an answer nobody knows what became of the last.
  void print_summary(bool is_all) const {
    console_.out << (is_all ? "" : "at least ") << told_summary(counts_) << '\n';
    console_.out.flush();
  }

  /// An Error when an item was refused.
  Status verdict() const {
    if (refused_ == 0) return {};
    return failure(ErrorCode::kInvalidInput, "'{}': {} of {} refused", line_.file, with_thousands(refused_),
                   counted(all_, "item"));
  }

 private:
  const CommandLine& line_;
  Console& console_;
  std::map<std::string, std::uint64_t> counts_;
  std::uint64_t refused_ = 0;
  std::uint64_t all_ = 0;
};

// Items of a fleet that other instances have are told to these. What cannot be is left, and says why.
Status tell_owners(const CommandLine& line, Console& console, std::string_view body,
                   std::vector<ToldItem>& items) {
  std::map<std::string, std::vector<std::size_t>> elsewhere;  // by owner: places of items
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].status == "elsewhere" && !items[i].owner.empty()) elsewhere[items[i].owner].push_back(i);
  if (elsewhere.empty()) return {};
  std::vector<std::string_view> texts;
  JsonTexts all(body);
  while (const auto text = all.next()) texts.push_back(*text);
  if (texts.size() != items.size()) {
    texts.assign(1, body);  // one item, over several lines
    if (items.size() != 1) return {};
  }
  for (const auto& [owner, places] : elsewhere) {
    std::string sent = "[";
    for (const std::size_t i : places) sent += fmt::format("{}{}", sent.size() > 1 ? "," : "", texts[i]);
    sent += "]";
    const auto fail = [&items, &places = places](const Error& error) {
      for (const std::size_t i : places) items[i].message = error.message;
    };
    const auto address = address_of_owner(owner, line.server);
    if (!address) {
      fail(address.error());
      continue;
    }
    const auto reply =
        HttpClient(*address, line.timeout).send("POST", "/v1/tell", std::move(sent), "application/json");
    if (!reply) {
      fail(reply.error());
      continue;
    }
    auto told = parse_tell_reply(reply->body);
    if (!told || told->size() != places.size()) {
      fail(error_of_reply("POST /v1/tell at " + owner, reply->status, reply->body));
      continue;
    }
    if (line.json) GLIMPSE_TRY(write_output("", with_final_newline(reply->body), console));
    for (std::size_t k = 0; k < places.size(); ++k) items[places[k]] = std::move((*told)[k]);
  }
  return {};
}

Status tell_bodies(const CommandLine& line, Console& console, TellTally& tally) {
  const HttpClient client(line.server, line.timeout, line.max_answer);
  const std::string target = "/v1/tell";
  InputBodies bodies(line.file, console);
  GLIMPSE_TRY_ASSIGN(const auto array, bodies.is_array());
  for (;;) {
    GLIMPSE_TRY_ASSIGN(auto body, bodies.next());
    if (!body) return {};
    const auto lines = lines_of_items(*body);
    if (lines.empty()) continue;
    const std::string_view type = array ? "application/json" : "application/x-ndjson";
    GLIMPSE_TRY_ASSIGN(const auto reply, client.send("POST", target, body->text, type));
    // One item is answered with a status of its own, also where that is an error.
    auto items = parse_tell_reply(reply.body);
    if (!items && reply.status / 100 != 2) return error_of_reply("POST " + target, reply.status, reply.body);
    if (!items) return client.unreadable(target, items.error().message);
    const auto asked = JsonTexts(body->text).count();
    if (asked && items->size() != *asked && items->size() != 1)  // one may stand on several lines
      return client.unreadable(
          target, fmt::format("{} to {}", counted(items->size(), "answer"), counted(*asked, "item")));
    if (line.json) GLIMPSE_TRY(write_output("", with_final_newline(reply.body), console));
    GLIMPSE_TRY(tell_owners(line, console, body->text, *items));
    tally.add(*items, lines);
  }
}

}  // namespace

Status tell_plans(const CommandLine& line, Console& console) {
  TellTally tally(line, console);
  const auto told = tell_bodies(line, console, tally);
  // Also after a failure half-way: what was learned stays learned.
  if (!line.json) tally.print_summary(told || told.error().code != ErrorCode::kUnavailable);
  if (!told) return told;
  return tally.verdict();
}

}  // namespace glimpse::ctl
