#include "data/records/example_reader.h"

#include "data/records/record_framer.h"

namespace glimpse {

std::size_t ExampleReader::line_length(std::string_view rest) { return length_of_line(rest); }

}  // namespace glimpse
