#include "data/plain_reader.h"

#include <functional>
#include <new>
#include <utility>

namespace glimpse {

std::unique_ptr<PlainReader> PlainReader::make(const ExampleReader& reader, const AttributeNames& names) {
  if (!names.categories().empty() || names.size() > kMostNames) return nullptr;
  std::unique_ptr<PlainReader> plain(new PlainReader(names.twin()));
  plain->reader_ = reader.twin(plain->names_);
  return plain->reader_ ? std::move(plain) : nullptr;
}

template <class Take>
bool PlainReader::read_if_plain(std::string_view record, const Take& take) {
  if (record.size() > kLongest) return false;
  bool is_plain = false;
  try {
    is_plain = reader_->open(record) && reader_->has_example() && take(reader_->head());
  } catch (const std::bad_alloc&) {
    is_plain = false;
  }
  names_.take_back();
  return is_plain;
}

bool PlainReader::read(std::string_view record, std::span<const Attribute> attributes,
                       std::span<double> values, PlainExample& example) {
  return read_if_plain(record, [&](const ExampleHead& head) {
    if (!head.label || !head.further_labels.empty() || head.is_filled ||
        !reader_->reveal(attributes, values) || names_.has_new_names())
      return false;
    example = {*head.label, head.importance, names_.new_numbers()};
    return true;
  });
}

bool PlainReader::read_all(std::string_view record, std::vector<Entry>& entries, PlainExample& example) {
  return read_if_plain(record, [&](const ExampleHead& head) {
    // A tag that is not as the record has it, as of JSON with escapes, is in the reader's memory.
    const char* const tag = head.tag.data();
    const bool is_in_record = head.tag.empty() || (!std::less<>()(tag, record.data()) &&
                                                   !std::less<>()(record.data() + record.size(), tag));
    if (head.label || head.is_filled || !is_in_record || !reader_->reveal_all(entries) ||
        names_.has_new_names() || names_.new_numbers())
      return false;
    example = {0, head.importance, std::nullopt, head.tag};
    return true;
  });
}

}  // namespace glimpse
