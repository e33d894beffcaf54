#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/http/http_types.h"

namespace glimpse {

/// The page of the HTTP door: GET / and the files that it names below /page/, out of the program itself. They
/// hold no data: what the page shows it asks for, with the reader's token. Thread-safety: immutable.
class Page {
 public:
  /// Packs each file once. Memory: some 30 KB.
  Page();

  /// Whether this is the path of a file of the page. A pure function.
  static bool is_path(std::string_view path);

  /// The file of `request`, packed where the browser takes that; 304 where it has it already. Nothing: there
  /// is no such file.
  std::optional<HttpResponse> answer(const HttpRequest& request) const;

 private:
  struct File {
    std::string path;
    std::string_view bytes;
    std::string packed;  // as gzip
    const char* type;
    std::string tag;  // changes with the bytes
  };

  std::vector<File> files_;
};

}  // namespace glimpse
