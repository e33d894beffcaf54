#include "base/option_row.h"

#include <doctest/doctest.h>
#include <limits>

namespace option_row_test {

using namespace glimpse;

namespace {

enum class Shade { kLight, kDark };

struct Paint {
  std::string colour;
  std::optional<double> gloss;
  std::optional<Shade> shade;
};

struct Wall {
  std::uint8_t coats = 2;
  double height = 2.5;
  Paint paint;
  std::vector<std::string> rooms;
  std::chrono::milliseconds drying{};
  std::size_t bytes = 0;
  bool is_dry = false;
};

OptionRow of(std::string_view option, OptionKind kind) { return {option, "a sentence", std::move(kind)}; }

std::string refusal(const OptionRow& row, const std::string& text) {
  Wall wall;
  const Status status = row.read(wall, text);
  if (status) return "accepted";
  CHECK(status.error().code == ErrorCode::kInvalidOption);
  return status.error().message;
}

Wall read(const OptionRow& row, const std::string& text) {
  Wall wall;
  CHECK_MESSAGE(row.read(wall, text).has_value(), text);
  return wall;
}

}  // namespace

TEST_CASE("a row's first text is its name, what its value is called, and its default") {
  const OptionRow full = of("seeds N = 1", OptionKind::value());
  CHECK(full.name == "seeds");
  CHECK(full.value == "N");
  CHECK(full.standard == "1");
  CHECK(full.described() == "a sentence; default 1");
  const OptionRow flag = of("dry", OptionKind::word());
  CHECK(flag.name == "dry");
  CHECK(flag.value.empty());
  CHECK(flag.standard.empty());
  CHECK(flag.described() == "a sentence");
  const OptionRow pairs = of("known A=X,B=Y = the daemon's own", OptionKind::value());
  CHECK(pairs.value == "A=X,B=Y");
  CHECK(pairs.standard == "the daemon's own");
}

TEST_CASE("numbers are read within their range into members of any number's type") {
  const OptionRow coats = of("coats N", OptionKind::whole(&Wall::coats, 1, 9));
  CHECK(read(coats, "1").coats == 1);
  CHECK(read(coats, "9").coats == 9);
  for (const char* wrong : {"0", "10", "-1", "3.5", "x", "18446744073709551617"})
    CHECK(refusal(coats, wrong) == fmt::format("--coats {}: must be a whole number from 1 to 9", wrong));
  CHECK(refusal(coats, "") == "--coats '': must be a whole number from 1 to 9");
  const OptionRow many =
      of("bytes N", OptionKind::whole(&Wall::bytes, 1, std::numeric_limits<std::uint64_t>::max()));
  CHECK(read(many, "18446744073709551615").bytes == std::numeric_limits<std::uint64_t>::max());
  CHECK(refusal(many, "0") == "--bytes 0: must be a whole number from 1");
  const OptionRow height = of("height M", OptionKind::number(&Wall::height, {0, 10}));
  CHECK(read(height, "0").height == 0);
  CHECK(read(height, "1e1").height == 10);
  for (const char* wrong : {"-0.1", "10.5", "nan", "inf"})
    CHECK(refusal(height, wrong) == fmt::format("--height {}: must be a number from 0 to 10", wrong));
  const OptionRow gloss =
      of_part(of("gloss G", OptionKind::number(&Paint::gloss, {0, 1, true})), &Wall::paint);
  CHECK(read(gloss, "0.5").paint.gloss == 0.5);
  CHECK(refusal(gloss, "0") == "--gloss 0: must be a number above 0 and at most 1");
  CHECK(refusal(of("height M", OptionKind::positive(&Wall::height)), "0") ==
        "--height 0: must be a number above 0");
  CHECK(read(of("coats P%", OptionKind::percent(&Wall::coats)), "100%").coats == 100);
  CHECK(refusal(of("coats P%", OptionKind::percent(&Wall::coats)), "50") ==
        "--coats 50: must be a whole number from 1% to 100%");
}

TEST_CASE("times, sizes, texts, words and flags are read") {
  CHECK(read(of("drying T", OptionKind::duration(&Wall::drying)), "2s").drying == std::chrono::seconds(2));
  CHECK(read(of("drying T", OptionKind::duration(&Wall::drying)), "0").drying.count() == 0);
  CHECK(refusal(of("drying T", OptionKind::positive_duration(&Wall::drying)), "0s") ==
        "--drying 0s: must be above 0");
  CHECK(read(of("bytes S", OptionKind::bytes(&Wall::bytes)), "4KiB").bytes == 4096);
  const OptionMember colour{&Wall::paint, &Paint::colour};
  CHECK(read(of("colour C", OptionKind::text(colour)), "red").paint.colour == "red");
  CHECK(refusal(of("colour C", OptionKind::text(colour)), "") == "--colour '': must not be empty");
  CHECK(refusal(of("colour C", OptionKind::any_text(colour)), "") == "accepted");
  CHECK(refusal(of("colour C", OptionKind::words(colour, {"red", "blue"})), "green") ==
        "--colour green: must be one of red, blue");
  const OptionMember shade{&Wall::paint, &Paint::shade};
  const OptionRow shades = of("shade S", OptionKind::choice<std::optional<Shade>>(
                                             shade, {{"none", std::nullopt}, {"dark", Shade::kDark}}));
  CHECK(read(shades, "dark").paint.shade == Shade::kDark);
  CHECK_FALSE(read(shades, "none").paint.shade.has_value());
  CHECK(shades.kind.choices == std::vector<std::string>{"none", "dark"});
  CHECK(read(of("dry", OptionKind::flag(&Wall::is_dry)), "on").is_dry);
  CHECK_FALSE(read(of("dry on|off", OptionKind::on_off(&Wall::is_dry)), "off").is_dry);
  const OptionRow rooms = of("room NAME", OptionKind::texts(&Wall::rooms));
  Wall wall = read(rooms, "hall");
  CHECK(rooms.read(wall, "attic").has_value());
  CHECK(wall.rooms == std::vector<std::string>{"hall", "attic"});
}

TEST_CASE("all members of a row, and no others, are compared and copied, also of a part") {
  const OptionRow row = of_part({"colour C", "",
                                 OptionKind::custom(
                                     +[](const std::string& text, Paint& paint) -> Status {
                                       paint.colour = text;
                                       paint.gloss = 1;
                                       return {};
                                     },
                                     {&Paint::colour, &Paint::gloss})},
                                &Wall::paint);
  Wall a;
  CHECK(row.read(a, "red").has_value());
  a.coats = 7;
  Wall b;
  CHECK_FALSE(row.is_same(a, b));
  row.copy(b, a);
  CHECK(row.is_same(a, b));
  CHECK(b.paint.colour == "red");
  CHECK(b.paint.gloss == 1);
  CHECK(b.coats == 2);
  b.paint.gloss.reset();
  CHECK_FALSE(row.is_same(a, b));
}

TEST_CASE("the first rule that is broken is told, of a part's rules and of the whole's") {
  OptionRow row =
      of_part({"gloss G",
               "",
               OptionKind::number(&Paint::gloss),
               {.rules = {{+[](const Paint& paint) { return paint.colour != "lime"; }, "not on lime"}}}},
              &Wall::paint);
  row.rules.push_back({+[](const Wall& wall) { return wall.coats > 1; }, "needs --coats 2"});
  Wall wall;
  CHECK(row.broken_rule(wall) == nullptr);
  wall.coats = 1;
  CHECK(row.broken_rule(wall)->constraint == "needs --coats 2");
  wall.paint.colour = "lime";
  CHECK(row.broken_rule(wall)->constraint == "not on lime");
}

TEST_CASE("a row of another struct, or of another part, is a fault of the program") {
  const OptionRow row = of("gloss G", OptionKind::number(&Paint::gloss));
  Wall wall;
  CHECK_THROWS_AS(static_cast<void>(row.read(wall, "1")), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(row.is_same(wall, wall)), std::logic_error);
  CHECK_THROWS_AS(of_part(row, &Wall::rooms), std::logic_error);
  CHECK_THROWS_AS(
      OptionKind::parsed(&Wall::rooms, "", [](const std::string&) -> Result<Shade> { return Shade::kDark; }),
      std::logic_error);
}

}  // namespace option_row_test
