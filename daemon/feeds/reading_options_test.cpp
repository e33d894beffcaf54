#include "daemon/feeds/reading_options.h"

#include <doctest/doctest.h>

namespace reading_options_test {

using namespace glimpse;

TEST_CASE("what a checkpoint keeps of the reading is read back") {
  const ReadingOptions options{Format::kCsv, 0, 12, '\t'};
  const ReadingOptions read = ReadingOptions().with(options.describe());
  CHECK(read.format == Format::kCsv);
  CHECK(read.index_base == 0);
  CHECK(read.columns == 12);
  CHECK(read.delimiter == '\t');
  const auto numbers = options.numbers();
  CHECK(numbers == std::array<std::uint64_t, 4>{3, 0, 12, 9});
  CHECK(ReadingOptions::from(numbers).describe() == options.describe());
  CHECK(ReadingOptions::from(std::array<std::uint64_t, 4>{9, 9, 0, 999}).describe() ==
        ReadingOptions().describe());
  const ReadingOptions rubbish =
      options.with("format=nonsense\nindex-base=x\nlabel-column\n=\ndelimiter=999\n");
  CHECK(rubbish.describe() == options.describe());
}

TEST_CASE("only options that change what the records mean make a difference") {
  const ReadingOptions now;
  const auto difference = [&](const ReadingOptions& kept, Format actual) {
    return kept.difference(now, actual);
  };
  CHECK(difference({Format::kAuto, 0, 0, ','}, Format::kSvmlight) == "--index-base 0");
  CHECK(difference({Format::kAuto, 0, 0, ','}, Format::kAuto) == "--index-base 0");
  CHECK(difference({Format::kAuto, 0, 0, ','}, Format::kCsv).empty());
  CHECK(difference({Format::kAuto, 1, 2, ','}, Format::kCsv) == "--label 2");
  CHECK(difference({Format::kAuto, 1, 0, ';'}, Format::kCsv) == "--delimiter ';'");
  CHECK(difference({Format::kAuto, 1, 2, ';'}, Format::kSvmlight).empty());
  CHECK(difference({Format::kSvmlight, 1, 0, ','}, Format::kSvmlight).empty());
  CHECK(difference({Format::kVw, 1, 0, ','}, Format::kSvmlight) == "--format vw");
  CHECK(difference({Format::kF32, 1, 0, ','}, Format::kCsv) == "--format f32");
  const ReadingOptions npy{Format::kNpy, 1, 0, ','};
  CHECK(npy.difference({Format::kF32, 1, 0, ','}, Format::kAuto) == "--format npy");
}

TEST_CASE("what tables are read with is one number, that of the label where nothing else is said") {
  TableOptions table;
  table.label = parse_column("3");
  CHECK(columns_of(table) == 3);
  table.label = parse_column("cnt");
  const std::uint64_t by_name = columns_of(table);
  CHECK(by_name > kLargestNumber);
  table.ignored = {parse_column("id")};
  CHECK(columns_of(table) != by_name);
  const ReadingOptions now;
  CHECK(ReadingOptions{Format::kCsv, 1, by_name, ','}.difference(now, Format::kCsv) ==
        "other options of --label, --ignore, --header or --decimal-comma");
  CHECK(ReadingOptions{Format::kCsv, 1, 0, 0}.difference(now, Format::kCsv).empty());
}

}  // namespace reading_options_test
