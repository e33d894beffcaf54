#include "data/text/foreign_file.h"

#include <doctest/doctest.h>

namespace foreign_file_test {

using namespace glimpse;
using namespace std::string_view_literals;

TEST_CASE("files that are no lines of examples are known by their first bytes") {
  CHECK(foreign_file("PK\x03\x04\x14"sv).find("Excel") != std::string::npos);
  CHECK(foreign_file("PAR1\x15\x04"sv).find("Parquet") != std::string::npos);
  CHECK(foreign_file("\x93NUMPY\x01"sv).find("--format npy") != std::string::npos);
  CHECK(foreign_file("\xff\xfe\x31\0,\0"sv).find("iconv -f UTF-16 ") != std::string::npos);
  CHECK(foreign_file("a\0,\0b\0"sv).find("UTF-16LE") != std::string::npos);
  CHECK(foreign_file("\0a\0,\0b"sv).find("UTF-16BE") != std::string::npos);
  CHECK(foreign_file(" <!DOCTYPE html>"sv).find("web page") != std::string::npos);
  CHECK(foreign_file("<HTML lang=en>"sv).find("web page") != std::string::npos);
  CHECK(foreign_file("sep=;\na;b"sv).find("tail -n +2") != std::string::npos);
  CHECK(foreign_file("BZh91AY"sv).find("bzip2 -dc") != std::string::npos);
}

TEST_CASE("lines of examples are no foreign files") {
  for (const std::string_view line :
       {""sv, "1"sv, "a,b,c"sv, "PK,b"sv, "PAR2,x"sv, "1 1:2"sv, "{\"label\": 1}"sv, "\xef\xbb\xbfname,x"sv,
        "<5,1"sv, "\xc3\xa4,b"sv, "B,Zh"sv})
    CHECK(foreign_file(line).empty());
}

}  // namespace foreign_file_test
