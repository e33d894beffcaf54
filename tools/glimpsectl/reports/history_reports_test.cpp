#include "glimpsectl/reports/history_reports.h"

#include <cmath>
#include <doctest/doctest.h>
#include <sstream>
#include <string>

#include "report/table.h"

namespace history_reports_test {

using namespace glimpse;
using namespace glimpse::ctl;

const std::string kAnswer =
    R"({"examples":100,"promotions":0,"samples":3,"columns":{"examples":[1,10,100],)"
    R"("attributes_revealed":[5,50,500],"attributes_there":[100,1000,10000],"rate":[null,10,20],)"
    R"("recent_r2":[null,0.25,0.75],"recent_r2_error":[null,0.125,0.0625],"r2":[-3,-0.5,0.25],)"
    R"("recent_loss":[4,3,1],"recent_loss_error":[null,0.5,0.25],"progressive_loss":[4,3.5,2]},)"
    R"("events":[{"event":"phase","time":1,"examples":10,"value":2},)"
    R"({"event":"checkpoint_failed","time":2,"examples":100,"value":1}]})";

HistoryData data(const std::string& answer = kAnswer) {
  auto read = read_history(answer);
  REQUIRE(read.has_value());
  return *read;
}

TEST_CASE("answers that are no history are refused") {
  for (const char* body :
       {"[", "{}", "[]", R"({"examples":1,"promotions":0,"columns":{"examples":[2,2]},"events":[]})",
        R"({"examples":1,"promotions":0,"columns":{"examples":[1],"r2":[]},"events":[]})",
        R"({"examples":1,"promotions":0,"columns":{"examples":[null]},"events":[]})",
        R"({"examples":1,"promotions":0,"columns":{"examples":["x"]},"events":[]})",
        R"({"examples":1,"promotions":0,"columns":{"examples":[1,1e300]},"events":[]})",
        R"({"examples":1,"promotions":0,"columns":{"examples":[0.5]},"events":[]})",
        R"({"examples":1,"promotions":0,"columns":{},"events":[{"event":3}]})"})
    CHECK(read_history(body).error().code == ErrorCode::kCorrupt);
}

TEST_CASE("an event of one of several labels names it") {
  const HistoryData some =
      data(R"({"examples":1,"promotions":0,"columns":{"examples":[1]},"events":[)"
           R"({"event":"model_withheld","time":1,"examples":1,"value":null,"label":"cnt"},)"
           R"({"event":"model_served_again","time":1,"examples":1,"value":null}]})");
  CHECK(event_text(some.events[0]) == "model withheld (cnt)");
  CHECK(event_text(some.events[1]) == "model served again");
}

TEST_CASE("what is new is added, and what does not go on from it is not") {
  HistoryData all = data();
  CHECK(all.last() == 100);
  HistoryData newer = data();
  newer.examples = 200;
  for (auto& [name, column] : newer.columns) column = {200};
  newer.events = {{"checkpoint_failed", 100, 1}, {"drift", 150, 1}};
  CHECK(all.append(newer));
  CHECK(all.column("examples") == std::vector<double>{1, 10, 100, 200});
  REQUIRE(all.events.size() == 3);
  CHECK(all.events[2].name == "drift");
  CHECK_FALSE(all.append(newer));  // once more
  newer.examples = 150;            // after a crash
  CHECK_FALSE(all.append(newer));
  newer.examples = 300;
  newer.promotions = 1;
  CHECK_FALSE(all.append(newer));
  // Of another process, whose examples may be more.
  HistoryData other = data();
  other.examples = 300;
  for (auto& [name, column] : other.columns) column = {300};
  CHECK(HistoryData(all).append(other));
  other.run = 1790000000123;
  CHECK_FALSE(all.append(other));
}

TEST_CASE("which process answers is read where it is told") {
  CHECK(data().run == 0);
  CHECK(data(R"({"run":1790000000123,)" + kAnswer.substr(1)).run == 1790000000123);
  CHECK_FALSE(read_history(R"({"run":null,)" + kAnswer.substr(1)).has_value());
}

TEST_CASE("the picture is of R2 with its band, of the loss where that is not known, or as was asked for") {
  const std::string r2 = draw(history_chart(data(), "auto").value());
  CHECK(r2.find("recent examples ± standard error") != std::string::npos);
  CHECK(r2.find("class=\"band c0\"") != std::string::npos);
  CHECK(r2.find(">phase 2</text>") != std::string::npos);
  CHECK(r2.find(">checkpoint failed</text>") != std::string::npos);
  CHECK(r2.find("held out") == std::string::npos);
  CHECK(r2.find("looked at 500 of 10,000 attributes (5 %)") != std::string::npos);
  CHECK(draw(history_chart(data(), "loss").value()).find(">mean squared error<") != std::string::npos);
  HistoryData without = data();
  without.columns.erase("recent_r2");
  CHECK(draw(history_chart(without, "auto").value()).find(">mean squared error<") != std::string::npos);
  CHECK(history_chart(data(), "wrong").error().message.find("--hold-out") != std::string::npos);
  without.columns.clear();
  CHECK(history_chart(without, "auto").error().message.find("nothing was learned yet") != std::string::npos);
}

TEST_CASE("lines are of blocks, or of ASCII alone, and no wider than a terminal") {
  const std::string blocks = history_lines(data(), true);
  CHECK(blocks.find("R2") == 0);
  CHECK(blocks.find("█") != std::string::npos);
  CHECK(blocks.find(" 0.75 ± 0.062\n") != std::string::npos);
  CHECK(blocks.find("phase 2 at 10; checkpoint failed at 100\n") != std::string::npos);
  const std::string letters = history_lines(data(), false);
  CHECK(letters.find(" 0.75 +- 0.062\n") != std::string::npos);
  for (const char c : letters) CHECK(static_cast<unsigned char>(c) < 0x80);
  for (const std::string& text : {blocks, letters}) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= 79);
  }
}

TEST_CASE("a long name of a label is cut between characters") {
  HistoryData long_name = data();
  std::string name = "x";
  for (int k = 0; k < 70; ++k) name += "ä";
  long_name.events = {{"model_withheld", 10, std::nan(""), name}};
  for (const bool has_utf8 : {false, true}) {
    const std::string text = history_lines(long_name, has_utf8);
    const std::string end = has_utf8 ? "ä… at 10\n" : "ä... at 10\n";
    CHECK(text.substr(text.size() - end.size()) == end);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= 79);
  }
}

TEST_CASE("each column has the newest sample in it, under the numbers of a log axis") {
  std::istringstream lines(history_lines(data(), false));
  std::string r2, rate, axis, marks;
  std::getline(lines, r2);
  std::getline(lines, rate);
  std::getline(lines, axis);
  std::getline(lines, marks);
  CHECK(r2.substr(8, 52) == std::string(26, ' ') + std::string(25, '.') + "@");
  CHECK(rate.substr(0, 8) == "ex/s    ");
  CHECK(axis.substr(8, 30) == "1                         10  ");
  CHECK(marks.find('^') == 8 + 26);
  CHECK(marks.rfind('^') == 8 + 51);
}

TEST_CASE("lines fit any room, and no number is cut") {
  for (const bool has_utf8 : {false, true})
    for (std::size_t room = 1; room < 90; ++room) {
      CAPTURE(room);
      std::istringstream lines(history_lines(data(), has_utf8, room));
      for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        CHECK(display_width(line) <= std::min<std::size_t>(room, 79));
        if (line.starts_with("R2"))
          CHECK((line.ends_with(" 0.75") || line.ends_with(" 0.75 ± 0.062") ||
                 line.ends_with(" 0.75 +- 0.062")));
        if (line.find(" at ") != std::string::npos) CHECK(line.ends_with(" at 100"));
      }
    }
  const std::string narrow = history_lines(data(), true, 39);
  CHECK(narrow.find(" 0.75 ± 0.062\n") != std::string::npos);
  CHECK(narrow.find("█") != std::string::npos);
  CHECK(narrow.find("... checkpoint failed at 100\n") != std::string::npos);
  CHECK(history_lines(data(), true, 30).find(" 0.75\n") != std::string::npos);
  CHECK(history_lines(data(), true, 20) == "R2      0.75\nex/s    20\n");
  CHECK(history_lines(data(), true, 4).empty());
}

TEST_CASE("there are no lines before there is anything to draw") {
  CHECK(history_lines(HistoryData(), true).empty());
  HistoryData one;
  one.columns["examples"] = {1};
  CHECK(history_lines(one, true).empty());
}

TEST_CASE("names of events that a newer daemon sends cannot steer the terminal") {
  HistoryData odd = data();
  odd.events = {{"\x1b[2J", 10, std::nan("")}};
  CHECK(history_lines(odd, true).find('\x1b') == std::string::npos);
}

}  // namespace history_reports_test
