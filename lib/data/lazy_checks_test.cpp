// What FORMATS.md says of when a record's mistakes are noticed.

#include "data/formats.h"
#include "data/reader_test_support.h"

namespace lazy_checks_test {

using namespace glimpse;

namespace {

enum class Noticed { kAlways, kWithAnyPlan, kWhereRevealed };

struct Mistake {
  Format format;
  Noticed noticed;
  std::string record;     // of dimension 4; the mistake is in attribute 2 where it is in one
  bool is_named = false;  // a record named attribute 3
};

const float kInfinity = std::numeric_limits<float>::infinity();

const std::vector<Mistake> kMistakes{
    {Format::kCsv, Noticed::kAlways, "1,1,2,3,4,5"},
    {Format::kCsv, Noticed::kAlways, "12:30,1,2,3,4"},
    {Format::kCsv, Noticed::kWhereRevealed, "1,1,2,inf,4"},
    {Format::kCsv, Noticed::kWhereRevealed, "\"1\",1,2,inf,4"},
    {Format::kSvmlight, Noticed::kAlways, "x 1:1"},
    {Format::kSvmlight, Noticed::kWithAnyPlan, "1 1:1 3 4:1"},
    {Format::kSvmlight, Noticed::kWithAnyPlan, "1 1:1 x:3 4:1"},
    {Format::kSvmlight, Noticed::kWithAnyPlan, "1 1:1 5:3"},
    {Format::kSvmlight, Noticed::kWithAnyPlan, "1 0:1 3:3"},
    {Format::kSvmlight, Noticed::kWhereRevealed, "1 1:1 3:x 4:1"},
    {Format::kSvmlight, Noticed::kWhereRevealed, "1 4:1 3:x 1:1"},
    {Format::kSvmlight, Noticed::kWhereRevealed, "1 1:1 3:1 3:1"},
    {Format::kVw, Noticed::kAlways, "1 0:1"},
    {Format::kVw, Noticed::kAlways, "x | 0:1"},
    {Format::kVw, Noticed::kAlways, "1 -1 | 0:1"},
    {Format::kVw, Noticed::kWithAnyPlan, "1 | 0:1 :2"},
    {Format::kVw, Noticed::kWithAnyPlan, "1 | 0:1 4:2"},
    {Format::kVw, Noticed::kWithAnyPlan, "1 |a:x 0:1"},
    {Format::kVw, Noticed::kWithAnyPlan, "1 | 0:1 |a:x 1:1"},
    {Format::kVw, Noticed::kWithAnyPlan, "1 | 0:1 2:3 x y"},
    {Format::kVw, Noticed::kWhereRevealed, "1 | 0:1 2:x 3:1"},
    {Format::kVw, Noticed::kWhereRevealed, "1 | 3:1 2:x 0:1"},
    {Format::kVw, Noticed::kWhereRevealed, "1 | 0:1 2:1e308 2:1e308"},
    {Format::kNdjson, Noticed::kAlways, R"({"label": 1, "values": {"0": 1, "2": []}})"},
    {Format::kNdjson, Noticed::kAlways, R"({"label": 1, "values": {"0": 1, "4": 1}})"},
    {Format::kNdjson, Noticed::kAlways, R"({"label": [], "values": {"0": 1}})"},
    {Format::kNdjson, Noticed::kAlways, "[1, 2, 3]"},
    {Format::kNdjson, Noticed::kWithAnyPlan, R"({"label": 1, "values": {"0": 1, "2": 1, "02": 1}})"},
    {Format::kNdjson, Noticed::kWithAnyPlan,
     R"({"label": 1, "values": {"0": 1, "a": 1, "b": 1, "c": 1, "d": 1, "e": 1}})"},
    {Format::kNdjson, Noticed::kWhereRevealed, R"({"label": 1, "values": {"0": 1, "2": 1e999}})"},
    {Format::kF32, Noticed::kAlways, f32_row({1, 2, 3, 4, 5, 6})},
    {Format::kF32, Noticed::kAlways, f32_row({kInfinity, 1, 2, 3, 4})},
    {Format::kF32, Noticed::kWhereRevealed, f32_row({1, 1, 2, kInfinity, 4})},
    {Format::kCsv, Noticed::kWithAnyPlan, "1,1,2,3,4", true},
    {Format::kCsv, Noticed::kWithAnyPlan, "1,1,2,\"3\",4", true},
    {Format::kSvmlight, Noticed::kWithAnyPlan, "1 1:1 4:1", true},
    {Format::kSvmlight, Noticed::kWithAnyPlan, "1 4:1 1:1", true},
    {Format::kVw, Noticed::kWithAnyPlan, "1 | 0:1 3:1", true},
    {Format::kVw, Noticed::kWithAnyPlan, "1 | 3:1 0:1", true},
    {Format::kNdjson, Noticed::kWithAnyPlan, R"({"label": 1, "values": {"3": 1}})", true},
    {Format::kNdjson, Noticed::kWithAnyPlan, R"({"label": 1, "values": [1, 2, 3, 4]})", true},
    {Format::kF32, Noticed::kWithAnyPlan, f32_row({1, 1, 2, 3, 4}), true},
};

std::string fine_record(Format format) {
  return format == Format::kCsv ? "1,1,2,3,4" : format == Format::kF32 ? f32_row({1, 1, 2, 3, 4}) : "";
}

}  // namespace

TEST_CASE("mistakes in a record are noticed when FORMATS.md says") {
  for (const TextKernel* kernel : text_kernels()) {
    CAPTURE(kernel->name);
    for (const Mistake& mistake : kMistakes) {
      CAPTURE(name_of(mistake.format));
      CAPTURE(mistake.record);
      // Each call makes a new dictionary and a new reader, since the dictionary may change.
      const auto noticed_by = [&](std::vector<Attribute> plan, bool all, bool validated) {
        AttributeNames names(4);
        auto reader =
            make_example_reader(mistake.format, FormatOptions{.dimension = 4, .kernel = kernel}, names);
        if (validated) reader = std::make_unique<ValidatingReader>(std::move(reader));
        if (const std::string fine = fine_record(mistake.format); !fine.empty()) require_open(*reader, fine);
        names = AttributeNames(4);
        if (mistake.is_named) REQUIRE((names.use_number(2) && names.find_or_add("a")));
        if (!reader->open(mistake.record)) return std::string("open");
        std::vector<double> values(plan.size());
        std::vector<Entry> entries;
        const Status status = all ? reader->reveal_all(entries) : reader->reveal(plan, values);
        return std::string(status ? "not" : "reveal");
      };
      const bool always = mistake.noticed == Noticed::kAlways;
      CHECK(noticed_by({}, false, false) == (always                                     ? "open"
                                             : mistake.noticed == Noticed::kWithAnyPlan ? "reveal"
                                                                                        : "not"));
      CHECK(noticed_by({0}, false, false) == noticed_by({}, false, false));
      CHECK(noticed_by({2}, false, false) == (always ? "open" : "reveal"));
      CHECK(noticed_by({}, true, false) == (always ? "open" : "reveal"));
      CHECK(noticed_by({}, false, true) == "open");
    }
  }
}

}  // namespace lazy_checks_test
