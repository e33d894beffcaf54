// Replaces the global operator new of this test program by one that counts, between two marks only, and that
// can be told to fail.

#include <cmath>
#include <cstdlib>
#include <new>

#include "data/formats.h"
#include "data/reader_test_support.h"

namespace {

bool counting = false;
int allocations = 0;
int allocations_left = -1;  // until one fails; negative: none does

void* allocate(std::size_t size) {
  if (counting) ++allocations;
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  void* memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

using namespace glimpse;

TEST_CASE("no reader allocates once it has seen the longest example") {
  struct Case {
    Format format;
    std::string longest;
    std::string other;
  };
  const std::vector<Case> cases{
      {Format::kSvmlight, "1 1:0.5 4:2 3:1e-3 # and a comment that is long", "-1 2:3"},
      {Format::kVw, "1 2 'tag |a_long_namespace:2 a_long_feature_name:3 2 2 |b 1 a_long_feature_name_too",
       "| 2:3 other"},
      {Format::kCsv, "1,0.5,\"2\"\"\",NA,\"3,5\"", "1,2,3,4,5"},
      {Format::kCsv, "1,0.5,2,,3", "2,3,4,5"},
      {Format::kCsv, "1,a category with a long name,2,,3", "1,a category with a long name,4,5,6"},
      {Format::kNdjson,
       R"({"label": 1, "tag": "a \"tag\" with escapes", "values": {"a \u00e9": 1, "3": 5, "2": 0, "1": 2}})",
       "[1,2,3,null]"},
      {Format::kF32, f32_row({1, 2, 3, 4, 5}), f32_row({5, 4, 3, 2, 1})},
  };
  for (const Case& c : cases) {
    AttributeNames names(4);
    const auto reader = make_example_reader(c.format, FormatOptions{.dimension = 4}, names);
    REQUIRE(reader->open("0,0,0,0,0").has_value() ==
            (c.format == Format::kCsv));  // so that no row of CSV is the first
    const std::vector<Attribute> plan{0, 2};
    std::vector<double> values(2);
    std::vector<Entry> entries;
    entries.reserve(8);
    bool fine = true;
    const auto read = [&](const std::string& record) {
      fine = fine && reader->open(record).has_value() && reader->has_example();
      fine = fine && reader->reveal(plan, values).has_value();
      // Errors may allocate; the quoted row of CSV has a field that is none of the planned and no number.
      if (record.find('"') == std::string::npos || c.format != Format::kCsv) {
        fine = fine && reader->reveal_all(entries).has_value();
      }
    };
    read(c.longest);
    counting = true;
    allocations = 0;
    for (int i = 0; i < 3; ++i) {
      read(c.longest);
      read(c.other);
    }
    counting = false;
    CHECK_MESSAGE(fine, name_of(c.format));
    CHECK_MESSAGE(allocations == 0, name_of(c.format));
  }
}

TEST_CASE("a row of dates is read without an allocation") {
  auto form = std::make_shared<TableForm>();
  form->columns = {{.type = ColumnForm::Type::kNumber}, {.type = ColumnForm::Type::kDate}, {}};
  AttributeNames names(2);
  const auto reader = make_example_reader(Format::kCsv, {.dimension = 2, .form = form}, names);
  const std::vector<Attribute> plan{0, 1};
  std::vector<double> values(2);
  bool fine = true;
  for (const std::string record :
       {"0,1970-01-02,3", "1,2026-11-30T12:30:05.25,a category with a long name"}) {
    const auto read = [&] {
      fine = fine && reader->open(record).has_value() && reader->reveal(plan, values).has_value();
    };
    read();
    counting = true;
    allocations = 0;
    read();
    counting = false;
    CHECK(allocations == 0);
  }
  CHECK(fine);
  CHECK(values[0] > 20787);
}

TEST_CASE("a record that there was no memory for leaves nothing behind in the next") {
  struct Case {
    Format format;
    std::string record;
  };
  std::string sparse = "red";
  std::string object = R"({"label": "red", "values": {)";
  for (int i = 0; i < 40; ++i) {
    sparse += fmt::format(" {}:{}.5", i + 1, i);
    object += fmt::format("{}\"{}\": {}.5", i > 0 ? ", " : "", i, i);
  }
  std::string names = R"({"label": "red", "values": {"a name that is long": "a word that is long", "b": 1}})";
  const std::vector<Case> cases{{Format::kSvmlight, sparse},
                                {Format::kVw, "red | 1:2 a_feature_whose_name_is_long:3 b:4 c d:5"},
                                {Format::kCsv, "red,0.5,\"2\",a word that is long,5"},
                                {Format::kNdjson, object + "}}"},
                                {Format::kNdjson, names}};
  for (const Case& c : cases) {
    const std::size_t dimension = c.format == Format::kCsv ? 4 : 40;
    const auto values_of = [&](ExampleReader& reader, std::vector<Entry>& entries) {
      const Status status = reader.open(c.record);
      REQUIRE_MESSAGE(status.has_value(), status.error().message);
      REQUIRE_MESSAGE(reader.has_example(), c.record);
      const Status read = reader.reveal_all(entries);
      REQUIRE_MESSAGE(read.has_value(), c.record);
      return reader.head().label;
    };
    int failed = 0;
    for (int left = 0;; ++left) {
      AttributeNames expected_names(dimension);
      AttributeNames names(dimension);
      names.categories().declare_label();
      expected_names.categories().declare_label();
      FormatOptions options{.dimension = dimension};
      options.table.header = HeaderChoice::kNo;
      const auto fresh = make_example_reader(c.format, options, expected_names);
      const auto reader = make_example_reader(c.format, options, names);
      std::vector<Entry> expected;
      std::vector<Entry> entries;
      expected.reserve(dimension);
      entries.reserve(dimension);
      bool fails = false;
      allocations_left = left;
      try {
        if (reader->open(c.record)) (void)reader->reveal_all(entries);
      } catch (const std::bad_alloc&) {
        fails = true;
      }
      allocations_left = -1;
      names.take_back();
      CHECK(values_of(*reader, entries) == values_of(*fresh, expected));
      CHECK(names.categories().label_words() == expected_names.categories().label_words());
      REQUIRE(entries.size() == expected.size());
      for (std::size_t k = 0; k < entries.size(); ++k) {
        CHECK(entries[k].attribute == expected[k].attribute);
        CHECK((entries[k].value == expected[k].value || std::isnan(expected[k].value)));
      }
      if (!fails) break;
      ++failed;
    }
    CHECK_MESSAGE(failed > 0, c.record);
  }
}
