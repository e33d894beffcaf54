#include "common/tool.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <optional>

namespace glimpse::tool_test {
namespace {

struct Paint {
  std::string colour;
  std::optional<double> gloss;
};

struct Wall {
  std::uint64_t coats = 0;
  double height = 0;
  Paint paint;
  std::vector<std::string> rooms;
  bool dry = false;

  Status run() const { return dry ? Status() : Status(failure(ErrorCode::kUnavailable, "it is wet")); }
};

std::vector<OptionRow> paint_options() {
  return {
      {"colour NAME = white", "of the paint", OptionKind::any_text(&Paint::colour)},
      {"gloss G",
       "how much it shines",
       OptionKind::number(&Paint::gloss, {0, 1, true}),
       {.rules = {{+[](const Paint& paint) { return paint.colour != "lime"; }, "has no effect on lime"}}}},
  };
}

std::vector<OptionRow> table() {
  std::vector<OptionRow> rows{
      {"coats N = 2", "of paint", OptionKind::whole(&Wall::coats, 1, 9)},
      {"height M = 2.5", "in metres", OptionKind::number(&Wall::height, {0, 10})},
      {"room NAME", "may be repeated", OptionKind::texts(&Wall::rooms), {.is_required = true}},
      {"dry",
       "it is dry",
       OptionKind::flag(&Wall::dry),
       {.rules = {{+[](const Wall& wall) { return wall.coats > 1; }, "needs --coats 2"}}}}};
  for (OptionRow& row : of_part(paint_options(), &Wall::paint)) rows.push_back(std::move(row));
  return rows;
}

constexpr ProgramText kText{.name = "paint", .usage = "Usage: paint\n"};

Result<Wall> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), {"paint", "--room", "hall"});
  Wall wall;
  const auto parsed =
      read_options(static_cast<int>(arguments.size()), arguments.data(), kText, table(), wall);
  if (!parsed) return parsed.error();
  CHECK(*parsed);
  return wall;
}

std::string error_of(const std::vector<const char*>& arguments) {
  const auto wall = parse(arguments);
  REQUIRE(wall.has_error());
  CHECK(wall.error().code == ErrorCode::kInvalidOption);
  return wall.error().message;
}

TEST_CASE("what is not given is the row's default, or nothing where it has none") {
  const Wall wall = parse({}).value();
  CHECK(wall.coats == 2);
  CHECK(wall.height == 2.5);
  CHECK(wall.paint.colour == "white");
  CHECK_FALSE(wall.paint.gloss);
  CHECK_FALSE(wall.dry);
}

TEST_CASE("values go where their rows say, those of a part's rows into the part") {
  const Wall wall =
      parse({"--gloss", "0.5", "--coats=9", "--dry", "--room", "attic", "--colour", "", "--height", "1e1"})
          .value();
  CHECK(wall.coats == 9);
  CHECK(wall.height == 10);
  CHECK(wall.paint.colour.empty());
  CHECK(wall.paint.gloss == 0.5);
  CHECK(wall.rooms == std::vector<std::string>{"hall", "attic"});
  CHECK(wall.dry);
}

TEST_CASE("a value that its row refuses is named with its option and the range") {
  for (const std::string text : {"-1", "0", "10", "3.5", "x", "", "18446744073709551618"}) {
    CAPTURE(text);
    CHECK(error_of({"--coats", text.c_str()}) ==
          fmt::format("--coats {}: must be a whole number from 1 to 9", text.empty() ? "''" : text));
  }
  for (const std::string text : {"-0.1", "10.5", "nan", "inf", "x", ""}) {
    CAPTURE(text);
    CHECK(error_of({"--height", text.c_str()}) ==
          fmt::format("--height {}: must be a number from 0 to 10", text.empty() ? "''" : text));
  }
  CHECK(error_of({"--gloss", "0"}) == "--gloss 0: must be a number above 0 and at most 1");
}

TEST_CASE("rules are asked of options that were given") {
  CHECK(parse({"--coats", "1"}).has_value());
  CHECK(error_of({"--coats", "1", "--dry"}) == "--dry on: needs --coats 2");
  CHECK(error_of({"--colour", "lime", "--gloss", "1"}) == "--gloss 1: has no effect on lime");
}

TEST_CASE("words that the table does not know, or know once, are refused") {
  for (const std::vector<const char*>& words : {std::vector<const char*>{"--cuots=3"},
                                                {"--coat=3"},
                                                {"word"},
                                                {"--coats"},
                                                {"--dry=1"},
                                                {"--coats", "1", "--coats", "2"},
                                                {"--%option%"}}) {
    CAPTURE(words.front());
    CHECK(error_of(words).ends_with("; see paint --help"));
  }
  const char* bare[] = {"paint"};
  Wall wall;
  CHECK(read_options(1, bare, kText, table(), wall).error().message ==
        "the option '--room' is required but missing; see paint --help");
}

TEST_CASE(
    "the exit status is 0 after --help or what the program did, 1 where it failed, 2 of a wrong option") {
  const auto status = [](const std::vector<const char*>& words) {
    return run_program<Wall>(static_cast<int>(words.size()), words.data(), kText, table());
  };
  CHECK(status({"paint", "--help"}) == 0);
  CHECK(status({"paint", "--room", "hall", "--dry"}) == 0);
  CHECK(status({"paint", "--room", "hall"}) == kExitFailure);
  CHECK(status({"paint", "--room", "hall", "--coats", "0"}) == kExitBadOption);
}

}  // namespace
}  // namespace glimpse::tool_test
