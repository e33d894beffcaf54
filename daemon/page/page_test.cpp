#include "daemon/page/page.h"

#include <doctest/doctest.h>
#include <string>

#include "daemon/bodies/body_text.h"
#include "daemon/page/page_assets.h"

namespace page_test {

using namespace glimpse;

HttpRequest get(const std::string& path, bool takes_gzip = false, const std::string& tag = {}) {
  HttpRequest request;
  request.method = "GET";
  request.path = path;
  request.takes_gzip = takes_gzip;
  request.if_none_match = tag;
  return request;
}

std::string header(const HttpResponse& response, const std::string& name) {
  for (const auto& [key, value] : response.headers)
    if (key == name) return value;
  return {};
}

TEST_CASE("each file of the page is there as it is, and packed") {
  const Page page;
  std::size_t size = 0;
  // A browser asks for each by itself, before it shows anything: modules and styles are joined.
  CHECK(page_assets().size() == 5);
  for (const PageAsset& asset : page_assets()) {
    CAPTURE(asset.name);
    const std::string path = asset.name == "index.html" ? "/" : "/page/" + std::string(asset.name);
    CHECK(Page::is_path(path));
    const auto plain = page.answer(get(path));
    REQUIRE(plain.has_value());
    CHECK(plain->body == asset.bytes);
    CHECK(header(*plain, "Content-Encoding").empty());
    const auto packed = page.answer(get(path, true));
    CHECK(header(*packed, "Content-Encoding") == "gzip");
    CHECK(unpacked(packed->body, 1 << 20).value() == asset.bytes);
    size += packed->body.size();
  }
  CHECK(size < 120'000);
}

TEST_CASE("what a browser has is not sent again, and packed bytes are others") {
  const Page page;
  const std::string plain = header(*page.answer(get("/")), "ETag");
  const std::string packed = header(*page.answer(get("/", true)), "ETag");
  CHECK(plain != packed);
  CHECK(page.answer(get("/", false, plain))->status == 304);
  CHECK(page.answer(get("/", true, "\"old\", " + packed))->status == 304);
  CHECK(page.answer(get("/", true, packed))->body.empty());
  CHECK(page.answer(get("/", true, plain))->status == 200);
}

TEST_CASE("there are no other files") {
  const Page page;
  for (const char* path : {"/page/", "/page/index.html", "/page/../page.js", "/page/none.js", "",
                           "/v1/status", "/page", "/pages/x", "/page.js", "/page//page.js"}) {
    CHECK_FALSE(page.answer(get(path)).has_value());
    CHECK_FALSE(Page::is_path(path));
  }
}

}  // namespace page_test
