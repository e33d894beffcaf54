#include "glimpsectl/commands.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdlib.h>

#include "base/state.h"
#include "checkpoint/checkpoint.h"
#include "glimpsectl/client/http_test_support.h"

namespace commands_test {

using namespace glimpse;
using namespace glimpse::ctl;

namespace {

/// What a run of the program did.
struct Outcome {
  int exit = -1;
  std::string out;
  std::string err;
};

Outcome run(std::vector<std::string> arguments, const ServerAddress& server = {}, const std::string& in = "",
            bool terminal = false) {
  std::istringstream in_stream(in);
  std::ostringstream out;
  std::ostringstream err;
  Console console{in_stream, out, err, terminal};
  const auto exit = glimpsectl(arguments, server.text, console);
  return {static_cast<int>(exit), out.str(), err.str()};
}

TestServer::Answer answers(std::string body) {
  return [body](const TestRequest&) { return http_reply(200, body); };
}

/// A folder for one test.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "glimpsectl-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

TEST_CASE("status is a table, or the body as it is") {
  const TestServer server(answers(R"({"examples":1000,"x":1.10})"), TestServer::Kind::kUnix);
  CHECK(run({"status"}, server.address()).out == "examples  1,000\nx         1.1\n");
  CHECK(run({"--json", "status"}, server.address()).out == "{\"examples\":1000,\"x\":1.10}\n");
  CHECK(run({"status", "--brief"}, server.address()).out == "examples  1,000\ntrouble   none\n");
}

TEST_CASE("each kind of failure has its exit code and one line") {
  const TestServer error([](const TestRequest&) {
    return http_reply(409, R"({"error":{"code":"no_state","message":"no folder"}})");
  });
  const auto refused = run({"checkpoint"}, error.address());
  CHECK(refused.exit == 1);
  CHECK(refused.err == "glimpsectl: POST /v1/checkpoint: no_state: no folder\n");

  CHECK(run({"status", "--nonsense"}).exit == 2);
  CHECK(run({"status", "--server", "unix:/nowhere"}).exit == 3);
  CHECK(run({"status", "--server", "unix:/nowhere"}).err ==
        "glimpsectl: cannot connect to unix:/nowhere: No such file or directory\n");

  const TestServer other(answers("<html>hello</html>"));
  const auto strange = run({"status"}, other.address());
  CHECK(strange.exit == 3);
  CHECK(strange.err ==
        "glimpsectl: " + other.address().text +
            " gave an answer to /v1/status that is not one of glimpsed: it is not a JSON object\n");
}

TEST_CASE("help and version need no server") {
  CHECK(run({"--help"}).out == help_text());
  CHECK(run({"--version"}).out.find("glimpsectl ") == 0);
}

TEST_CASE("a model is asked for in its format and written to a file in one step") {
  const std::string bytes("safe\0tensors", 12);
  const TestServer server(answers(bytes));
  const Folder folder;
  const auto file = folder / "model";
  CHECK(run({"model", "--format", "safetensors", "--output", file}, server.address()).exit == 0);
  CHECK(server.requests().at(0).target == "/v1/model?format=safetensors");
  CHECK(content_of(file) == bytes);
  CHECK(folder.files() == 1);
  const auto shown = run({"model", "--format", "safetensors"}, server.address(), "", true);
  CHECK(shown.exit == 2);
  CHECK(run({"model", "--format", "csv"}, server.address()).out == bytes);
  CHECK(run({"model", "--format", "csv", "--fresh"}, server.address()).exit == 0);
  CHECK(server.requests().back().target == "/v1/model?format=csv&fresh=true");
  CHECK(run({"model", "--format", "csv", "--errors"}, server.address()).exit == 0);
  CHECK(server.requests().back().target == "/v1/model?format=csv&errors=true");
}

TEST_CASE("the daemon writes the tables of a model and of moments") {
  const TestServer server(answers("rows\n"));
  CHECK(run({"model"}, server.address()).out == "rows\n");
  CHECK(server.requests().back().target == "/v1/model?format=table&top=20");
  CHECK(run({"model", "--top", "3", "--errors"}, server.address()).exit == 0);
  CHECK(server.requests().back().target == "/v1/model?format=table&top=3&errors=true");
  CHECK(run({"model", "--json"}, server.address()).exit == 0);
  CHECK(server.requests().back().target == "/v1/model?format=json");
  CHECK(run({"moments", "--top", "5"}, server.address()).out == "rows\n");
  CHECK(server.requests().back().target == "/v1/moments?format=table&top=5");
  CHECK(run({"moments", "--json"}, server.address()).exit == 0);
  CHECK(server.requests().back().target == "/v1/moments?format=json");
}

TEST_CASE("a file that cannot be written is an error, and a link stays a link") {
  const TestServer server(answers("attribute,second_moment\n0,1\n"));
  const Folder folder;
  const auto failed = run({"moments", "--output", folder / "no/such/file"}, server.address());
  CHECK(failed.exit == 1);
  CHECK(failed.err.find("no/such/file") != std::string::npos);

  write_file(folder / "target", "old");
  std::filesystem::create_symlink(folder / "target", folder / "link");
  CHECK(run({"moments", "--output", folder / "link"}, server.address()).exit == 0);
  CHECK(server.requests().back().target == "/v1/moments?format=csv");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(content_of(folder / "target") == "attribute,second_moment\n0,1\n");
  CHECK(run({"moments", "--output", "/dev/null"}, server.address()).exit == 0);
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("examples to predict are sent as they are, an array in one piece") {
  const TestServer server(answers(R"({"predictions":[1.5,2],"examples":2})"));
  CHECK(run({"predict"}, server.address(), "{\"values\":[1]}\n{\"values\":[2]}\n").out == "1.5\n2\n");
  CHECK(run({"predict", "-", "--json"}, server.address(), "[{\"values\":[1]},\n{}]").out ==
        "{\"predictions\":[1.5,2],\"examples\":2}\n");
  const auto requests = server.requests();
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].target == "/v1/predict?predict=label");
  CHECK(requests[0].content_type == "application/x-ndjson");
  CHECK(requests[0].body == "{\"values\":[1]}\n{\"values\":[2]}\n");
  CHECK(requests[1].content_type == "application/json");
  CHECK(requests[1].body == "[{\"values\":[1]},\n{}]");
  CHECK(run({"predict", "/nowhere/file"}, server.address()).exit == 1);
}

TEST_CASE("examples to learn go out in pieces, and refused lines are named by their place in the file") {
  const TestServer server([](const TestRequest& request) {
    const auto lines = std::count(request.body.begin(), request.body.end(), '\n');
    const auto first = request.target.find("first_line=");
    const auto line = 1 + (first == std::string::npos ? 1 : std::stoi(request.target.substr(first + 11)));
    return http_reply(200, fmt::format(R"({{"accepted":{},"errors":[{{"line":{},"message":"no label"}}]}})",
                                       lines - 1, line));
  });
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += "1 1:0.5 2:0.25 3:0.125 4:0.0625 5:0.03125 6:0.015625\n";
  const Folder folder;
  write_file(folder / "train", text);
  const auto outcome = run({"learn", folder / "train"}, server.address());
  const auto requests = server.requests();
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].body + requests[1].body == text);
  CHECK(requests[1].target.starts_with("/v1/learn?format=svmlight&first_line="));
  const auto first = std::count(requests[0].body.begin(), requests[0].body.end(), '\n');
  CHECK(outcome.exit == 1);
  CHECK(outcome.out == "29,998 examples learned\n");
  const auto name = folder / "train";
  CHECK(outcome.err ==
        fmt::format("glimpsectl: '{0}' line 2: no label\nglimpsectl: '{0}' line {1}: no label\n"
                    "glimpsectl: '{0}': 2 of 30,000 examples refused\n",
                    name, first + 2));
}

TEST_CASE("the format of examples reaches the server, and an array to learn from is told as JSON") {
  const TestServer server([](const TestRequest& request) {
    const bool learn = request.target.find("learn") != std::string::npos;
    return http_reply(200, learn ? R"({"accepted":1,"skipped":1,"errors":[]})" : R"({"predictions":[1]})");
  });
  CHECK(run({"learn"}, server.address(), "1 1:2\n2 1:2\n").out ==
        "1 example learned, 1 skipped for missing attributes\n");
  CHECK(run({"learn"}, server.address(), "[{},\n{}]").exit == 0);
  CHECK(run({"learn", "--format", "vw"}, server.address(), "1 | a\n2 | a\n").exit == 0);
  CHECK(run({"predict", "--format=svmlight"}, server.address(), "1:2\n").out == "1\n");
  CHECK(run({"predict"}, server.address(), "").exit == 0);
  const auto requests = server.requests();
  REQUIRE(requests.size() == 4);
  CHECK(requests[0].target == "/v1/learn?format=auto");
  CHECK(requests[1].target == "/v1/learn?format=ndjson");
  CHECK(requests[1].body == "[{},\n{}]");
  CHECK(requests[2].target == "/v1/learn?format=vw");
  CHECK(requests[3].target == "/v1/predict?format=svmlight&predict=label");
}

TEST_CASE("what is asked for all classes goes in bodies whose answers are not too large") {
  const TestServer server([](const TestRequest& request) {
    std::string words = R"("a")", ones = "1", rows = "[1]";
    for (auto lines = std::ranges::count(request.body, '\n'); lines > 1; --lines) {
      words += R"(,"a")";
      ones += ",1";
      rows += ",[1]";
    }
    return http_reply(
        200,
        fmt::format(
            R"({{"predictions":[{}],"classes":["a"],"probability":[{}],"probabilities":[{}],"examples":2}})",
            words, ones, rows));
  });
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += "1:2\n";
  CHECK(run({"predict", "--format=svmlight", "--predict=probabilities"}, server.address(), text).exit == 0);
  CHECK(run({"predict", "--format=svmlight", "--predict=label"}, server.address(), text).exit == 0);
  const auto requests = server.requests();
  REQUIRE(requests.size() == 4);
  for (std::size_t r = 0; r < 3; ++r) CHECK(requests[r].body.size() <= 8'000);
  CHECK(requests[3].body.size() == 20'000);
}

TEST_CASE("an answer with fewer predictions than examples, or that says nothing, is refused") {
  const TestServer server(answers(R"({"predictions":[1],"examples":2})"));
  for (const char* format : {"--format=svmlight", "--format=vw"}) {
    const auto outcome = run({"predict", format}, server.address(), "1:2\n# none\n1:2\n\n1:2\n");
    CHECK(outcome.exit == 3);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.find("is not one of glimpsed: 1 prediction for 3 examples") != std::string::npos);
  }
  CHECK(run({"predict"}, server.address(), "[{},{}]").exit == 3);
  CHECK(run({"predict"}, server.address(), "[0.5, 1]").exit == 0);  // one example
  const TestServer silent(answers("{}"));
  for (const char* command : {"checkpoint", "freeze", "unfreeze"})
    CHECK(run({command}, silent.address()).exit == 3);
}

TEST_CASE("numbers that cannot be are refused") {
  const auto refuses = [](const std::vector<std::string>& arguments, const std::string& answer) {
    const TestServer server(answers(answer));
    for (const bool json : {false, true}) {
      auto all = arguments;
      if (json && arguments[0] != "status") all.push_back("--json");
      const auto outcome = run(all, server.address(), "1 1:2\n1 1:3\n1 1:4\n");
      CHECK_MESSAGE(outcome.exit == 3, answer);
      CHECK_MESSAGE(outcome.err.find("is not one of glimpsed: ") != std::string::npos, outcome.err);
    }
  };
  for (const char* counts : {R"("accepted":5000000)", R"("accepted":-1)", R"("accepted":1.5)",
                             R"("accepted":1,"unlabelled":3)", R"("accepted":1,"error_count":-1)",
                             R"("accepted":1,"skipped":18446744073709551615)", R"("accepted":1e300)"})
    refuses({"learn"}, fmt::format("{{{}}}", counts));
  for (const char* more :
       {R"("predictions":[1,2,3],"standard_errors":[1])",
        R"("predictions":[1,2,3],"standard_errors":[1,2,-1])",
        R"("predictions":["a","a","a"],"classes":["a"],"probability":[1,0.5,7.5])",
        R"("predictions":["a","a","a"],"classes":["a"],"probabilities":[[1],[1],[-1]])",
        R"("predictions":{"a":[1,2,3],"b":[1,2,3]},"standard_errors":{"a":[1,2,3],"b":[1,-2,3]})",
        R"("predictions":[1,2,3],"examples":-7)"})
    refuses({"predict", "--format", "svmlight"}, fmt::format("{{{}}}", more));
  for (const char* field :
       {R"("examples":-1)", R"("examples":2.5)", R"("progressive_loss":-1)", R"("r2":1.5)",
        R"("sources":[{"examples":-1}])", R"("held_out_classes":{"log_loss":-1})"}) {
    refuses({"status"}, fmt::format("{{{}}}", field));
    refuses({"status", "--brief"}, fmt::format("{{{}}}", field));
  }
}

TEST_CASE("an answer does not steer the terminal that it is shown on") {
  const std::string body = "{\"algorithm\":\"\x7f\xc2\x9b[2J\"}";
  const TestServer server(answers(body));
  CHECK(run({"status", "--json"}, server.address()).out == body + "\n");
  CHECK(run({"status", "--json"}, server.address(), "", true).out == "{\"algorithm\":\"\\x7f\\x9b[2J\"}\n");
  const TestServer csv(answers("a,\x1b[2J\n1,2\n"));
  CHECK(run({"model", "--format", "csv"}, csv.address(), "", true).out == "a,\\x1b[2J\n1,2\n");
}

TEST_CASE("without an answer nobody says that nothing was learned") {
  const TestServer server([](const TestRequest&) { return std::string("HTTP/1.1 200 OK\r\n"); });
  const auto learned = run({"learn"}, server.address(), "1 |\n");
  CHECK(learned.exit == 3);
  CHECK(learned.out == "at least 0 examples learned\n");
  const auto told = run({"tell"}, server.address(), R"({"id":"1-1","label":1,"values":[1]})");
  CHECK(told.exit == 3);
  CHECK(told.out == "at least 0 plans learned\n");
}

TEST_CASE("what was sent and had no label is told, and nothing learned is an error") {
  const TestServer server([](const TestRequest& request) {
    return http_reply(200, request.body == "1 |\n" ? R"({"accepted":0,"unlabelled":1})"
                                                   : R"({"accepted":0,"unlabelled":3})");
  });
  CHECK(run({"learn"}, server.address(), "1 |\n").out == "0 examples learned, 1 without a label\n");
  const auto none = run({"learn"}, server.address(), "| a\n| b\n| c\n");
  CHECK(none.exit == 1);
  CHECK(none.out == "0 examples learned, 3 without a label\n");
  CHECK(none.err.starts_with("glimpsectl: '-': nothing was learned: 3 of 3 examples had no label; "));
}

TEST_CASE("a table's later pieces are not sent to a daemon that does not tell how it read the first") {
  const TestServer server([](const TestRequest& request) {
    std::string ones = "1";
    for (auto lines = std::ranges::count(request.body, '\n'); lines > 2; --lines) ones += ",1";
    return http_reply(200, fmt::format(R"({{"accepted":5,"predictions":[{}],"errors":[]}})", ones));
  });
  std::string text = "y,a\n";
  for (int i = 0; i < 300'000; ++i) text += "1,0.5\n";
  for (const char* command : {"learn", "predict"}) {
    const auto outcome = run({command, "--format", "csv"}, server.address(), text);
    CHECK(outcome.exit == 1);
    CHECK(outcome.err.find("does not tell whether the first row of a table is its header") !=
          std::string::npos);
  }
  CHECK(server.requests().size() == 2);
}

TEST_CASE("when learning breaks off, what was learned is told") {
  int calls = 0;
  const TestServer server([&](const TestRequest&) {
    if (++calls == 1) return http_reply(200, R"({"accepted":5,"errors":[]})");
    return http_reply(503, R"({"error":{"code":"stopping","message":"shutting down"}})");
  });
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += "1 1:1\n";
  const auto outcome = run({"learn"}, server.address(), text);
  CHECK(outcome.exit == 1);
  CHECK(outcome.out == "5 examples learned\n");
  CHECK(outcome.err ==
        "glimpsectl: POST /v1/learn?format=svmlight&first_line=166667: stopping: shutting down (in the piece "
        "behind line 166,666)\n");
  CHECK(run({"learn", "/nowhere/file"}, server.address()).err.find("'/nowhere/file'") != std::string::npos);
}

// A daemon of an earlier build has no history, and answers so.
TestServer::Answer older(std::string body) {
  return [body](const TestRequest& request) {
    if (request.target.starts_with("/v1/history"))
      return http_reply(404, R"({"error":{"code":"not_found","message":"no such path"}})");
    return http_reply(200, body);
  };
}

constexpr const char* kHistory =
    R"({"examples":7,"promotions":0,"samples":3,"columns":{"examples":[1,3,7],"recent_r2":[null,0.25,0.5],)"
    R"("recent_r2_error":[null,0.5,0.25]},"events":[]})";

TEST_CASE("watch draws the history, once in a file and again and again on a terminal") {
  const TestServer server([](const TestRequest& request) {
    return http_reply(200, request.target.starts_with("/v1/history") ? kHistory : R"({"examples":7})");
  });
  const auto file = run({"watch", "--count", "3", "--every", "1ms"}, server.address());
  CHECK(file.exit == 0);
  CHECK(file.out.find("R2") == 0);
  CHECK(std::count(file.out.begin(), file.out.end(), '\n') == 2 + 1 + 3);
  CHECK(file.out.find("\x1b") == std::string::npos);
  const auto drawn = run({"watch", "--count", "3", "--every", "1ms"}, server.address(), "", true);
  std::size_t times = 0;
  for (std::size_t at = 0; (at = drawn.out.find("\r\x1b[3A\x1b[J", at)) != std::string::npos; ++at) ++times;
  CHECK(times == 2);
  CHECK(run({"watch", "--count", "2", "--every", "1ms", "--json"}, server.address()).out ==
        "{\"examples\":7}\n{\"examples\":7}\n");
}

TEST_CASE("plot writes the picture, or the history as it is, and says where it has none to draw") {
  const TestServer server(answers(kHistory));
  const Folder folder;
  const auto path = folder / "curve.svg";
  CHECK(run({"plot", "--output", path}, server.address()).exit == 0);
  std::ifstream file(path);
  const std::string svg{std::istreambuf_iterator<char>(file), {}};
  CHECK(svg.starts_with("<svg xmlns="));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(run({"plot"}, server.address()).out == svg);
  CHECK(run({"plot", "--json"}, server.address()).out == std::string(kHistory) + "\n");
  CHECK(run({"plot"}, server.address(), "", true).err.find("must have --output FILE") != std::string::npos);
  CHECK(run({"plot", "--of", "all"}, server.address()).err.find("--of all: must be one of auto") !=
        std::string::npos);
  CHECK(run({"plot", "--of", "loss"}, server.address()).err.find("nothing to draw of 'loss'") !=
        std::string::npos);
}

TEST_CASE("plot draws what an older daemon has, and names what it lacks") {
  const TestServer server([](const TestRequest& request) {
    if (request.target.find("rmse") != std::string::npos)
      return http_reply(400,
                        R"({"error":{"code":"invalid_request","message":"columns has 'rmse'; must be"}})");
    return http_reply(200, R"({"examples":3,"columns":{"examples":[1,3],"recent_r2":[0,0.25],)"
                           R"("recent_r2_error":[0.5,0.5]},"events":[]})");
  });
  const auto drawn = run({"plot"}, server.address());
  CHECK(drawn.err.find("no importances: they are not known") != std::string::npos);
  CHECK(drawn.out.starts_with("<svg xmlns="));
  CHECK(std::ranges::count(server.requests(), "/v1/history?since=0", &TestRequest::target) == 1);
  CHECK(run({"plot", "--of", "rmse"}, server.address()).err ==
        "glimpsectl: there is nothing to draw of 'rmse' after 3 examples: an older glimpsed does not report "
        "it: upgrade it\n");
}

TEST_CASE("plot says of what there is nothing to draw, after one example as after many") {
  const TestServer server([](const TestRequest&) {
    return http_reply(200, R"({"examples":1,"columns":{"examples":[1]},"events":[]})");
  });
  CHECK(run({"plot"}, server.address()).err.find("after 1 example") != std::string::npos);
  CHECK(run({"plot"}, server.address()).err.find("1 examples") == std::string::npos);
}

TEST_CASE("watch prints its titles once and a line per interval") {
  const TestServer server(older(R"({"examples":7})"));
  const auto outcome = run({"watch", "--count", "3", "--every", "1ms"}, server.address());
  CHECK(outcome.exit == 0);
  CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') == 4);
  CHECK(server.requests().size() == 4);  // and one for the history
  const auto redrawn = run({"watch", "--count", "3", "--every", "1ms"}, server.address(), "", true);
  CHECK(std::count(redrawn.out.begin(), redrawn.out.end(), '\n') == 2);
  CHECK(std::count(redrawn.out.begin(), redrawn.out.end(), '\r') == 3);
  CHECK(run({"watch", "--count", "2", "--every", "1ms", "--json"}, server.address()).out ==
        "{\"examples\":7}\n{\"examples\":7}\n");
}

TEST_CASE("watch outlasts a daemon that is away for a while, but not one that was never there") {
  int calls = 0;
  const TestServer server([&](const TestRequest& request) -> std::optional<std::string> {
    if (request.target.starts_with("/v1/history")) return http_reply(200, "no history");
    return ++calls == 2 ? "" : http_reply(200, R"({"examples":7})");
  });
  const auto outcome = run({"watch", "--count", "3", "--every", "1ms"}, server.address());
  CHECK(outcome.exit == 0);
  CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') == 3);
  CHECK(outcome.err.find("closed the connection") != std::string::npos);
  CHECK(run({"watch", "--count", "3", "--server", "unix:/nowhere"}).exit == 3);
}

TEST_CASE("a checkpoint is verified and listed without a daemon") {
  State state;
  state.begin();
  state.put_text("algorithm", "aerr");
  state.put<double>("weights", 1000);
  state.put_number("examples", std::uint64_t{5});
  state.finish();
  const auto bytes = encode_checkpoint(state).value();
  const Folder folder;
  const auto file = folder / "c.safetensors";
  write_file(file, bytes);
  const auto checksum = bytes.substr(bytes.find("xxh3:"), 21);

  const auto outcome = run({"checkpoint", "inspect", file});
  CHECK(outcome.exit == 0);
  CHECK(outcome.out.find("checksum  " + checksum + " ok\n") != std::string::npos);
  CHECK(outcome.out.find("format    1\n") != std::string::npos);
  CHECK(outcome.out.find("\ntexts\nalgorithm  aerr\n") != std::string::npos);
  CHECK(outcome.out.find("\ntensor    type  count  bytes\nweights   F64   1,000  8,000\n"
                         "examples  U64       1      8\n") != std::string::npos);
  CHECK(run({"checkpoint", "inspect", file, "--json"}).out.find(R"("texts":{"algorithm":"aerr"})") !=
        std::string::npos);
}

TEST_CASE("a checkpoint with a flipped bit is bad, and nothing of it is shown") {
  State state;
  state.begin();
  state.put<double>("weights", 10);
  state.finish();
  auto bytes = encode_checkpoint(state).value();
  bytes.back() ^= 1;
  const Folder folder;
  const auto file = folder / "c.safetensors";
  write_file(file, bytes);
  const auto outcome = run({"checkpoint", "inspect", file});
  CHECK(outcome.exit == 1);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("glimpsectl: '" + file + "': the checksum of ") == 0);
  const auto as_json = run({"checkpoint", "inspect", file, "--json"});
  CHECK(as_json.exit == 1);
  CHECK(as_json.out.find(R"("checksum_ok":false)") != std::string::npos);
  CHECK(run({"checkpoint", "inspect", "/nowhere/c"}).exit == 1);
}

}  // namespace commands_test
