#include "data/formats/validating_reader.h"

#include "data/text/text.h"

namespace glimpse {

ValidatingReader::ValidatingReader(std::unique_ptr<ExampleReader> reader) : reader_(std::move(reader)) {}

std::size_t ValidatingReader::line_length(std::string_view rest) { return reader_->line_length(rest); }

Status ValidatingReader::open(std::string_view record) {
  has_example_ = false;
  head_ = {};
  GLIMPSE_TRY(reader_->open(record));
  if (!reader_->has_example()) return {};
  GLIMPSE_TRY(reader_->reveal_all(entries_));
  has_example_ = true;
  head_ = reader_->head();
  return {};
}

Status ValidatingReader::reveal(std::span<const Attribute> attributes, std::span<double> values) {
  return has_example_ ? reader_->reveal(attributes, values) : Status(no_example());
}

Status ValidatingReader::reveal_all(std::vector<Entry>& entries) {
  entries.clear();
  if (!has_example_) return no_example();
  entries = entries_;
  return {};
}

void ValidatingReader::prefetch(std::string_view record, std::span<const Attribute> attributes) const {
  reader_->prefetch(record, attributes);
}

}  // namespace glimpse
