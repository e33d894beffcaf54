#include "data/plain_reader.h"

#include <new>
#include <utility>

namespace glimpse {

std::unique_ptr<PlainReader> PlainReader::make(const ExampleReader& reader, const AttributeNames& names) {
  if (!names.categories().empty() || names.size() > kMostNames) return nullptr;
  std::unique_ptr<PlainReader> plain(new PlainReader(names.twin()));
  plain->reader_ = reader.twin(plain->names_);
  return plain->reader_ ? std::move(plain) : nullptr;
}

bool PlainReader::read(std::string_view record, std::span<const Attribute> attributes,
                       std::span<double> values, PlainExample& example) {
  if (record.size() > kLongest) return false;
  bool is_plain = false;
  try {
    if (reader_->open(record) && reader_->has_example()) {
      const ExampleHead& head = reader_->head();
      is_plain = head.label && head.further_labels.empty() && reader_->reveal(attributes, values) &&
                 !names_.has_new_names();
      if (is_plain) example = {*head.label, head.importance, names_.new_numbers()};
    }
  } catch (const std::bad_alloc&) {
    is_plain = false;
  }
  names_.take_back();
  return is_plain;
}

}  // namespace glimpse
