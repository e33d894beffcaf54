// Random records of every format: what reveal() finds must be what was written and what reveal_all() finds,
// and no bytes whatever may bring a reader down (run under the sanitizers).

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/random_records_test_support.h"
#include "data/records/record_framer.h"
#include "data/text/text.h"

namespace readers_random_test {

using namespace glimpse;
using namespace glimpse::random_records;

namespace {

// Whether it went well, which must be the same for both.
bool require_same(const Status& a, const Status& b) {
  REQUIRE(a.has_value() == b.has_value());
  if (a.has_error()) REQUIRE(a.error().message == b.error().message);
  return a.has_value();
}

// An error, if it is one, is a short line of printable text in UTF-8.
void check(const Status& status) {
  if (status.has_value()) return;
  const std::string& message = status.error().message;
  REQUIRE(!message.empty());
  REQUIRE(message.size() < 300);
  REQUIRE(std::ranges::none_of(message, [](unsigned char c) { return c < 0x20 || c == 0x7f; }));
  REQUIRE(valid_utf8(message) == message);
}

}  // namespace

TEST_CASE("what was written is what reveal finds for any plan, and what reveal_all finds") {
  Random random(20);
  for (const auto& [format, kernel] : formats_and_kernels()) {
    CAPTURE(name_of(format));
    CAPTURE(kernel->name);
    AttributeNames names = ten_names(format);
    const auto reader =
        make_example_reader(format, FormatOptions{.dimension = kDimension, .kernel = kernel}, names);
    for (int trial = 0; trial < 1000; ++trial) {
      const Made made = make(format, random);
      CAPTURE(made.record);
      const std::vector<Attribute> plan = some_attributes(random, true);
      const std::vector<double> revealed = reveal(*reader, made.record, plan);
      REQUIRE(reader->head().label == made.label);
      for (std::size_t i = 0; i < plan.size(); ++i) REQUIRE(same(revealed[i], made.values[plan[i]]));

      std::vector<double> all(kDimension, 0.0);
      std::vector<int> times(kDimension, 0);
      for (const Entry& entry : reveal_all(*reader, made.record)) {
        REQUIRE(entry.attribute < kDimension);
        all[entry.attribute] = entry.value;
        REQUIRE(++times[entry.attribute] == 1);
      }
      for (std::size_t a = 0; a < kDimension; ++a) REQUIRE(same(all[a], made.values[a]));
    }
    CHECK(names.size() == 10);
  }
}

TEST_CASE("no bytes bring a reader down, and errors are short lines of printable text") {
  Random random(21);
  for (const Format format :
       {Format::kAuto, Format::kSvmlight, Format::kVw, Format::kCsv, Format::kNdjson, Format::kF32}) {
    AttributeNames names = ten_names();
    std::unique_ptr<ExampleReader> reader;
    std::unique_ptr<ExampleReader> portable;
    AttributeNames portable_names = ten_names();
    std::vector<Entry> entries;
    std::vector<Entry> portable_entries;
    for (int trial = 0; trial < 6000; ++trial) {
      if (trial % 10 == 0) {
        const auto kernels = text_kernels();
        const FormatOptions options{.dimension = kDimension,
                                    .kernel = kernels[static_cast<std::size_t>(trial / 10) % kernels.size()]};
        reader = make_example_reader(format, options, names);
        portable = make_example_reader(
            format, FormatOptions{.dimension = kDimension, .kernel = kernels.back()}, portable_names);
      }
      // Valid records of any format with a few bytes changed, put in or taken out; or bytes alone.
      std::string record = trial % 3 == 0 ? std::string(random.below(60), ' ')
                                          : make(kFormats[random.below(5)], random).record;
      if (trial % 3 == 0) {
        for (char& c : record)
          c = trial % 2 == 0 ? static_cast<char>(random.below(256))
                             : kAlphabet[random.below(kAlphabet.size())];
      }
      change_bytes(record, random);
      // In memory of exactly its size, so that the address sanitizer sees a step beyond it.
      const std::unique_ptr<char[]> memory(new char[record.size()]);
      std::copy(record.begin(), record.end(), memory.get());
      const Status opened = reader->open(std::string_view(memory.get(), record.size()));
      check(opened);
      require_same(opened, portable->open(record));
      const std::vector<Attribute> plan = some_attributes(random, true);
      std::vector<double> values(plan.size(), 0);
      const Status revealed = reader->reveal(plan, values);
      check(revealed);
      std::vector<double> portable_values(plan.size(), 0);
      require_same(revealed, portable->reveal(plan, portable_values));
      for (std::size_t i = 0; i < plan.size() && revealed.has_value(); ++i)
        REQUIRE(same(values[i], portable_values[i]));
      const Status all = reader->reveal_all(entries);
      check(all);
      require_same(all, portable->reveal_all(portable_entries));
      if (all.has_value()) REQUIRE(entries == portable_entries);
      REQUIRE(names.size() == portable_names.size());
      if (reader->has_example() && all.has_value()) {
        REQUIRE(revealed.has_value());
        for (const Entry& entry : entries) {
          const auto place = std::lower_bound(plan.begin(), plan.end(), entry.attribute);
          if (place == plan.end() || *place != entry.attribute) continue;
          REQUIRE(same(values[static_cast<std::size_t>(place - plan.begin())], entry.value));
        }
      }
    }
  }
}

// What SparseLine does not read is read field by field: so is a line to which something without a meaning is
// added, a qid or a namespace that has no features. Both ways find the same, and the same wrong.
TEST_CASE("sparse lines are read alike the fast way and field by field") {
  Random random(22);
  for (const Format format : {Format::kSvmlight, Format::kVw}) {
    CAPTURE(name_of(format));
    AttributeNames fast_names(kDimension);
    AttributeNames slow_names(kDimension);
    const FormatOptions options{.dimension = kDimension, .svmlight_index_base = 0};
    auto fast = make_example_reader(format, options, fast_names);
    auto slow = make_example_reader(format, options, slow_names);
    std::vector<Entry> fast_entries;
    std::vector<Entry> slow_entries;
    int compared = 0;
    for (int trial = 0; trial < 20000; ++trial) {
      if (trial % 20 == 0) {
        fast_names = AttributeNames(kDimension);
        slow_names = AttributeNames(kDimension);
        if (trial % 40 == 0) REQUIRE((fast_names.fix({"a", "b"}) && slow_names.fix({"a", "b"})));
      }
      std::string record = random.below(4) == 0 ? "" : format == Format::kVw ? "1 |" : "1";
      if (record.empty() && format == Format::kVw) record = "|n:0.5";
      for (Attribute a = 0; a < kDimension; ++a) {
        double value = 0;
        if (random.below(3) == 0) record += fmt::format(" {}:{}", a, number(random, value));
        if (format == Format::kVw && random.below(20) == 0) record += fmt::format(" {}", a + 1);
      }
      if (random.below(2) == 0) change_bytes(record, random);
      if (record.find('#') != std::string::npos || record.find('\'') != std::string::npos) continue;
      const std::string longer = record + (format == Format::kVw ? " |x" : " qid:1");
      CAPTURE(record);
      if (!fast->open(record) || !fast->has_example() || !slow->open(longer)) continue;
      REQUIRE(fast->head().label == slow->head().label);
      const std::vector<Attribute> plan = some_attributes(random, true);
      std::vector<double> fast_values(plan.size());
      std::vector<double> slow_values(plan.size());
      if (require_same(fast->reveal(plan, fast_values), slow->reveal(plan, slow_values))) {
        for (std::size_t i = 0; i < plan.size(); ++i) {
          REQUIRE(fast_values[i] == slow_values[i]);
          REQUIRE(std::signbit(fast_values[i]) == std::signbit(slow_values[i]));
        }
        ++compared;
      }
      if (require_same(fast->reveal_all(fast_entries), slow->reveal_all(slow_entries)))
        REQUIRE(fast_entries == slow_entries);
      REQUIRE(fast_names.size() == slow_names.size());
      // The next free index shows which numbers were used.
      if (trial % 20 == 19) {
        const auto fast_next = fast_names.find_or_add("next");
        const auto slow_next = slow_names.find_or_add("next");
        REQUIRE(fast_next.has_value() == slow_next.has_value());
        if (fast_next) REQUIRE(*fast_next == *slow_next);
      }
    }
    CHECK(compared > 5000);
  }
}

TEST_CASE("lines whose ends a reader finds by itself are read as those that others find") {
  Random random(23);
  for (const Format format : {Format::kSvmlight, Format::kVw, Format::kCsv, Format::kAuto}) {
    CAPTURE(name_of(format));
    AttributeNames names(kDimension);
    AttributeNames other_names(kDimension);
    const FormatOptions options{.dimension = kDimension, .svmlight_index_base = 0};
    int examples = 0;
    for (int trial = 0; trial < 300; ++trial) {
      auto reader = make_example_reader(format, options, names);
      auto other = make_example_reader(format, options, other_names);
      std::string block;
      for (int line = 0; line < 20; ++line) {
        std::string record = format == Format::kVw ? "1 |" : "1";
        for (Attribute a = 0; a < kDimension; ++a) {
          double value = 0;
          const std::string text = number(random, value);
          record +=
              format == Format::kCsv || format == Format::kAuto ? "," + text : fmt::format(" {}:{}", a, text);
        }
        if (random.below(4) == 0) change_bytes(record, random);
        if (random.below(6) == 0) record += std::string(random.below(300), ' ');
        if (random.below(40) == 0) record += std::string(5000, '7');  // beyond what is looked at first
        if (random.below(8) == 0) record.clear();
        block += record + (random.below(3) == 0 ? "\r\n" : "\n");
      }
      if (random.below(2) == 0) block.pop_back();
      RecordCursor cursor(block, Framing::lines(block.size()));
      RecordCursor other_cursor = cursor;
      for (;;) {
        const auto record = cursor.next([&](std::string_view rest) { return reader->line_length(rest); });
        const auto expected = other_cursor.next();
        REQUIRE(record == expected);
        if (!record) break;
        CAPTURE(*record);
        const auto opened = reader->open(*record);
        const auto other_opened = other->open(*record);
        REQUIRE(opened.has_value() == other_opened.has_value());
        if (!opened) REQUIRE(opened.error().message == other_opened.error().message);
        REQUIRE(reader->has_example() == other->has_example());
        REQUIRE(reader->head().label == other->head().label);
        if (!reader->has_example()) continue;
        const std::vector<Attribute> plan = some_attributes(random, true);
        std::vector<double> values(plan.size());
        std::vector<double> other_values(plan.size());
        const auto revealed = reader->reveal(plan, values);
        const auto other_revealed = other->reveal(plan, other_values);
        REQUIRE(revealed.has_value() == other_revealed.has_value());
        if (!revealed) continue;
        for (std::size_t i = 0; i < plan.size(); ++i) REQUIRE(same(values[i], other_values[i]));
        ++examples;
      }
    }
    CHECK(examples > 1000);
  }
}

}  // namespace readers_random_test
