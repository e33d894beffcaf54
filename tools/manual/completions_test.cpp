#include "manual/completions.h"

#include <doctest/doctest.h>
#include <string>

#include "manual/pages.h"

namespace completions_test {

using namespace glimpse::manual;

TEST_CASE("both shells know the algorithms, and that a file is a file") {
  const Page page = glimpsed_page();
  const std::string bash = bash_completion(page);
  const std::string zsh = zsh_completion(page);
  CHECK(bash.find("*:--algorithm) words='auto aerr") != std::string::npos);
  CHECK(bash.find("*:--attributes) action=file") != std::string::npos);
  CHECK(bash.find("*:--state-directory) action=directory") != std::string::npos);
  CHECK(zsh.find(":NAME:(auto aerr") != std::string::npos);
  CHECK(zsh.find("'--attributes=[names of the attributes, one a line]:FILE:_files'") != std::string::npos);
  CHECK(zsh.find("'*--listen=") != std::string::npos);
}

TEST_CASE("an option of several commands has the words of each") {
  const std::string bash = bash_completion(glimpsectl_page());
  CHECK(bash.find("model:--format) words='table json csv safetensors'") != std::string::npos);
  CHECK(bash.find("send:--format) words='auto svmlight") != std::string::npos);
  CHECK(bash.find("\"checkpoint inspect\"*) command=") != std::string::npos);
}

}  // namespace completions_test
