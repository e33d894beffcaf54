#include "data/example_reader.h"

#include "data/record_framer.h"

namespace glimpse {

std::size_t ExampleReader::line_length(std::string_view rest) { return length_of_line(rest); }

}  // namespace glimpse
