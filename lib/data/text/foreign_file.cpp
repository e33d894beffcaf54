#include "data/text/foreign_file.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "data/text/text.h"

namespace glimpse {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kShown = 64;

struct Kind {
  std::string_view magic;
  std::string_view sentence;
};

constexpr std::array kKinds{
    Kind{"PK\x03\x04"sv, "this is a zip file, as Excel's .xlsx is: save the table as CSV, or unzip it"},
    Kind{"\xd0\xcf\x11\xe0"sv, "this is a file of Excel or its kin: save the table as CSV"},
    Kind{"PAR1"sv, "this is a Parquet file: python3 -m glimpsed.arrow FILE.parquet | glimpsed reads it"},
    Kind{"ARROW1"sv, "this is an Arrow file: python3 -m glimpsed.arrow FILE.arrow | glimpsed reads it"},
    Kind{"\x93NUMPY"sv, "this is an npy file: --format npy"},
    Kind{"\x1f\x8b\x08"sv,
         "this is compressed by gzip, which this door does not read: send what gzip -dc makes of it"},
    Kind{"\x28\xb5\x2f\xfd"sv,
         "this is compressed by zstd, which this door does not read: send what zstd -dc makes of it"},
    Kind{"BZh"sv, "this is compressed by bzip2: bzip2 -dc FILE | glimpsed reads it"},
    Kind{"\x04\x22\x4d\x18"sv, "this is compressed by lz4: lz4 -dc FILE | glimpsed reads it"},
    Kind{"\xfd"
         "7zXZ"sv,
         "this is compressed by xz: xz -dc FILE | glimpsed reads it"},
    Kind{"\xff\xfe"sv, "this is text in UTF-16: iconv -f UTF-16 -t UTF-8 makes it readable"},
    Kind{"\xfe\xff"sv, "this is text in UTF-16: iconv -f UTF-16 -t UTF-8 makes it readable"},
    Kind{"%PDF-"sv, "this is a PDF: a table of numbers is needed, as CSV"},
    Kind{"SQLite format 3\0"sv,
         "this is an SQLite database: sqlite3 -header -csv FILE 'SELECT * FROM TABLE' | glimpsed reads a "
         "table "
         "of it"},
    Kind{"\x89HDF"sv,
         "this is an HDF5 file: write its matrix X as npy, as python3 -c \"import h5py, numpy; "
         "numpy.save('FILE.npy', h5py.File('FILE')['X'][:].astype('<f4'))\" does; pandas.read_hdf() reads a "
         "table of pandas"},
    Kind{"Obj\x01"sv, "this is an Avro file: fastavro FILE | glimpsed --label NAME reads it as JSON"},
    Kind{"MATLAB 7.3 MAT-file"sv,
         "this is a MATLAB file of version 7.3: save it there by writetable(array2table(X), 'FILE.csv')"},
    Kind{"MATLAB 5.0 MAT-file"sv,
         "this is a MATLAB file: write its matrix X as npy, as python3 -c \"import numpy, scipy.io; "
         "numpy.save('FILE.npy', scipy.io.loadmat('FILE')['X'].astype('<f4', order='C'))\" does"},
};

constexpr std::array kPages{
    Kind{"sep="sv, "the first line is Excel's sep=, which is no row: leave it out, as tail -n +2 FILE does"},
    Kind{"<!doctype html"sv,
         "this is a web page, as servers send where there is no file: look at it, and load it again"},
    Kind{"<html"sv,
         "this is a web page, as servers send where there is no file: look at it, and load it again"},
    Kind{"<?xml"sv, "this is XML: a table of numbers is needed, as CSV"},
};

// Files whose first bytes could as well be text.
std::string_view binary_file(std::string_view bytes) {
  if (bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5)
    return "this is a pickle: where it is a table of pandas, python3 -c \"import pandas; "
           "pandas.read_pickle('FILE').to_csv('FILE.csv', index=False)\" writes it as CSV";
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  if (bytes.starts_with("ORC") && std::ranges::any_of(bytes.substr(0, kShown), is_control))
    return "this is an ORC file: write it as CSV, as python3 -c \"import pandas; "
           "pandas.read_orc('FILE').to_csv('FILE.csv', index=False)\" does";
  if (bytes.size() > 8 && bytes.substr(5).starts_with("\0\0\0{"sv))  // behind the length of its header
    return "this is a checkpoint of glimpsed, or other safetensors, and no table: --model FILE reads it";
  constexpr std::size_t kTarMagic = 257;  // POSIX.1-1988, ustar
  if (bytes.size() > kTarMagic && bytes.substr(kTarMagic).starts_with("ustar"))
    return "this is a tar archive: tar -xOf FILE NAME | glimpsed reads the file NAME of it";
  return {};
}

// Letters below 128 with a zero behind, or in front of, each.
std::string_view wide_text(std::string_view bytes) {
  if (bytes.size() < 4) return {};
  if (bytes[0] != 0 && bytes[1] == 0 && bytes[2] != 0 && bytes[3] == 0)
    return "this is text in UTF-16: iconv -f UTF-16LE -t UTF-8 makes it readable";
  if (bytes[0] == 0 && bytes[1] != 0 && bytes[2] == 0 && bytes[3] != 0)
    return "this is text in UTF-16: iconv -f UTF-16BE -t UTF-8 makes it readable";
  return {};
}

}  // namespace

std::string foreign_file(std::string_view bytes) {
  if (const std::string_view binary = binary_file(bytes); !binary.empty()) return std::string(binary);
  bytes = bytes.substr(0, kShown);
  for (const Kind& kind : kKinds)
    if (bytes.starts_with(kind.magic)) return std::string(kind.sentence);
  std::string text(trimmed(bytes));
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Kind& page : kPages)
    if (text.starts_with(page.magic)) return std::string(page.sentence);
  return std::string(wide_text(bytes));
}

}  // namespace glimpse
