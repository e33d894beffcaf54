#include "mnist/idx.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <string>

namespace glimpse::idx_test {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes(std::initializer_list<int> values) {
  Bytes result;
  for (const int value : values) result.push_back(static_cast<std::byte>(value));
  return result;
}

// Three pictures of 1 × 2 pixels: 3, 5 and 8.
const Bytes kImages = bytes({0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 10, 11, 20, 21, 255, 0});
const Bytes kLabels = bytes({0, 0, 8, 1, 0, 0, 0, 3, 3, 5, 8});

std::string error_of(const Bytes& images, const Bytes& labels) {
  const auto result = parse_idx(images, labels);
  REQUIRE(result.has_error());
  CHECK(result.error().code == ErrorCode::kCorrupt);
  return result.error().message;
}

TEST_CASE("pictures and labels come in the order of the files") {
  const auto images = parse_idx(kImages, kLabels);
  REQUIRE(images.has_value());
  CHECK(images->rows == 1);
  CHECK(images->columns == 2);
  REQUIRE(images->size() == 3);
  CHECK(images->labels == std::vector<std::uint8_t>{3, 5, 8});
  CHECK(images->image(1)[0] == 20);
  CHECK(images->image(2)[0] == 255);
}

TEST_CASE("a pair of digits becomes -1 and +1, other digits are left out") {
  const auto images = parse_idx(kImages, kLabels);
  REQUIRE(images.has_value());
  const auto pair = select_pair(*images, 8, 3);
  REQUIRE(pair.size() == 2);
  CHECK(pair[0].image == 0);
  CHECK(pair[0].label == 1);
  CHECK(pair[1].image == 2);
  CHECK(pair[1].label == -1);
}

TEST_CASE("a file cut short anywhere is an error and never a read past its end") {
  for (std::size_t length = 0; length < kImages.size(); ++length) {
    CAPTURE(length);
    CHECK(error_of(Bytes(kImages.begin(), kImages.begin() + static_cast<std::ptrdiff_t>(length)), kLabels)
              .starts_with("images: "));
  }
  for (std::size_t length = 0; length < kLabels.size(); ++length) {
    CAPTURE(length);
    CHECK(error_of(kImages, Bytes(kLabels.begin(), kLabels.begin() + static_cast<std::ptrdiff_t>(length)))
              .starts_with("labels: "));
  }
}

TEST_CASE("bytes to spare are an error") {
  Bytes images = kImages;
  images.push_back(std::byte{0});
  CHECK(error_of(images, kLabels) == "images: the file has 23 bytes; its header says 22");
}

TEST_CASE("the two files taken for each other are told apart by their magic numbers") {
  CHECK(error_of(kLabels, kImages).starts_with("images: "));
  CHECK(error_of(kImages, kImages) ==
        "labels: begins with the number 2051; an IDX file of labels begins with 2049");
}

TEST_CASE("as many labels as pictures are needed") {
  CHECK(error_of(kImages, bytes({0, 0, 8, 1, 0, 0, 0, 1, 3})) == "labels: 1 labels, but there are 3 images");
}

TEST_CASE("absurd sizes in a header are refused before anything is multiplied") {
  Bytes images = kImages;
  for (std::size_t i = 4; i < 16; ++i) images[i] = std::byte{255};
  CHECK(error_of(images, kLabels).find("each side must be from 1 to 4096") != std::string::npos);
}

TEST_CASE("MNIST itself has 11,552 training and 1,902 test pictures of 3 and 5") {
  const char* directory = std::getenv("GLIMPSE_MNIST");
  if (directory == nullptr) {
    MESSAGE("skipped: GLIMPSE_MNIST does not name the folder of MNIST's files");
    return;
  }
  PosixFileSystem files;
  for (const auto& [set, count] : {std::pair{"train", 11'552U}, std::pair{"t10k", 1'902U}}) {
    const auto images = read_mnist(files, directory, set);
    REQUIRE_MESSAGE(images.has_value(), images.error().message);
    CHECK(images->dimension() == 784);
    CHECK(select_pair(*images, 3, 5).size() == count);
  }
}

TEST_CASE("a missing file is named") {
  PosixFileSystem files;
  const auto result = read_mnist(files, "/nowhere", "train");
  REQUIRE(result.has_error());
  CHECK(result.error().message.find("/nowhere/train-images-idx3-ubyte") != std::string::npos);
}

}  // namespace
}  // namespace glimpse::idx_test
