#include "data/text/foreign_file.h"

#include <doctest/doctest.h>

namespace foreign_file_test {

using namespace glimpse;
using namespace std::string_view_literals;
using namespace std::string_literals;

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

TEST_CASE("a file that another program reads is refused with the command that converts it") {
  CHECK(foreign_file("SQLite format 3\0\x10\0"sv).find("sqlite3 -header -csv FILE") != std::string::npos);
  for (const std::string_view pickle : {"\x80\x02}q"sv, "\x80\x04\x95\x1c"sv, "\x80\x05\x95\x1c"sv})
    CHECK(foreign_file(pickle).find("pandas.read_pickle('FILE')") != std::string::npos);
  CHECK(foreign_file("PAR1\x15\x04"sv).find("python3 -m glimpsed.arrow FILE.parquet | glimpsed") !=
        std::string::npos);
  CHECK(foreign_file("ARROW1\0\0"sv).find("python3 -m glimpsed.arrow FILE.arrow | glimpsed") !=
        std::string::npos);
  CHECK(foreign_file("\x89HDF\r"sv).find("h5py.File('FILE')['X']") != std::string::npos);
  CHECK(foreign_file("ORC\x0a\x03\0"sv).find("pandas.read_orc('FILE')") != std::string::npos);
  CHECK(foreign_file("\x40\x01\0\0\0\0\0\0{\"__metadata__\""sv).find("--model FILE") != std::string::npos);
  CHECK(foreign_file("Obj\x01\x04"sv).find("fastavro FILE") != std::string::npos);
  CHECK(foreign_file("\x04\x22\x4d\x18\x64"sv).find("lz4 -dc FILE") != std::string::npos);
  CHECK(
      foreign_file("MATLAB 5.0 MAT-file, Platform"sv).find("loadmat('FILE')['X'].astype('<f4', order='C')") !=
      std::string::npos);
  CHECK(foreign_file("MATLAB 7.3 MAT-file, Platform"sv).find("writetable") != std::string::npos);
  std::string tar = "a.csv" + std::string(252, '\0');
  CHECK(foreign_file(tar).empty());
  CHECK(foreign_file(tar + "ustar\0"s + "00").find("tar -xOf FILE NAME") != std::string::npos);
}

TEST_CASE("lines of examples are no foreign files") {
  for (const std::string_view line :
       {""sv, "1"sv, "a,b,c"sv, "PK,b"sv, "PAR2,x"sv, "1 1:2"sv, "{\"label\": 1}"sv, "\xef\xbb\xbfname,x"sv,
        "<5,1"sv, "\xc3\xa4,b"sv, "B,Zh"sv, "ORC,b"sv, "ORC\tb"sv, "Obj,1"sv, "SQLite format 3"sv, "\x80,b"sv,
        "MATLAB,b"sv})
    CHECK(foreign_file(line).empty());
}

}  // namespace foreign_file_test
