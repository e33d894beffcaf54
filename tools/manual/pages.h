#pragma once

#include <vector>

#include "manual/description.h"

namespace glimpse::manual {

/// The pages of the programs, from their tables of options.
Page glimpsed_page();
Page glimpsed_conf_page();
Page glimpsectl_page();
Page gen_page();
Page mnist_page();

std::vector<Page> all_pages();

}  // namespace glimpse::manual
