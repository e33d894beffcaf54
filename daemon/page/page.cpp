#include "daemon/page/page.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>
#include <xxhash.h>
#include <zlib.h>

#include "daemon/page/page_assets.h"

namespace glimpse {

namespace {

// Nothing from elsewhere, no script or style inside the page, no page around it.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const char* type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "text/javascript; charset=utf-8";
}

std::string packed(std::string_view bytes) {
  constexpr int kGzip = 15 + 16;  // the largest window, with the head of gzip
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int done = deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  if (done != Z_STREAM_END) throw std::logic_error("a file of the page could not be packed");
  return result;
}

}  // namespace

bool Page::is_path(std::string_view path) {
  const auto is_asked = [path](const PageAsset& asset) {
    return asset.name != "index.html" && path.substr(6) == asset.name;
  };
  return path == "/" || (path.starts_with("/page/") && std::ranges::any_of(page_assets(), is_asked));
}

Page::Page() {
  for (const PageAsset& asset : page_assets())
    files_.push_back({asset.name == "index.html" ? "/" : fmt::format("/page/{}", asset.name), asset.bytes,
                      packed(asset.bytes), type_of(asset.name),
                      fmt::format("{:016x}", XXH3_64bits(asset.bytes.data(), asset.bytes.size()))});
}

std::optional<HttpResponse> Page::answer(const HttpRequest& request) const {
  const auto file = std::ranges::find(files_, request.path, &File::path);
  if (file == files_.end()) return std::nullopt;
  // Packed bytes are others, and have a tag of their own.
  const std::string tag = fmt::format("\"{}{}\"", file->tag, request.takes_gzip ? "-gzip" : "");
  HttpResponse response;
  response.content_type = file->type;
  response.headers = {{"ETag", tag},
                      {"Cache-Control", "no-cache"},  // kept, and asked for again
                      {"Vary", "Accept-Encoding"},
                      {"Content-Security-Policy", kPolicy},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"}};
  if (request.if_none_match.find(tag) != std::string::npos) {
    response.status = 304;
    return response;
  }
  if (request.takes_gzip) response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = request.takes_gzip ? file->packed : std::string(file->bytes);
  return response;
}

}  // namespace glimpse
