#pragma once

#include <string_view>
#include <vector>

namespace glimpse {

/// A file of the page: as it is in assets/ or vendor/, or all modules (page.js) or styles (page.css) in one.
struct PageAsset {
  std::string_view name;
  std::string_view bytes;
};

/// All of them. Generated (embed.cmake).
const std::vector<PageAsset>& page_assets();

}  // namespace glimpse
