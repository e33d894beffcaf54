#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/records/attribute_names.h"
#include "data/records/example_reader.h"

namespace glimpse {

/// Bytes of a row: the label and `dimension` attributes.
std::size_t f32_row_bytes(std::size_t dimension);

/// Rows of little-endian IEEE singles: the label, then the attributes in order. A label of NaN asks for a
/// prediction, an attribute of NaN is missing, infinities are errors. Where a header of numpy's comes first
/// it must describe such rows: after one that does not, or a first row that is text, every row is refused.
/// Rows behind those that the header says are refused, unless they have another header in front.
/// Rows with a label say every attribute by number (AttributeNames). Cost: reveal() touches the planned
/// attributes alone. Thread-safety: none; all readers that share `names` run in one thread.
class F32Reader final : public ExampleReader {
 public:
  /// What the first record is.
  enum class Header : bool { kNone, kNpy };

  /// `names` outlives the reader.
  F32Reader(std::size_t dimension, AttributeNames& names, Header header = Header::kNone);

  Status open(std::string_view record) override;
  Status reveal(std::span<const Attribute> attributes, std::span<double> values) override;
  Status reveal_all(std::vector<Entry>& entries) override;
  Status check_end() const override;
  void prefetch(std::string_view record, std::span<const Attribute> attributes) const override;

 private:
  Status read_header(std::string_view header);
  Status read_attribute(Attribute attribute, double& value) const;
  Status use_numbers();

  const std::size_t dimension_;
  AttributeNames& names_;
  const Header header_;
  bool at_header_;
  bool at_first_row_ = true;
  std::optional<std::uint64_t> rows_;  // that the header says, where it was read
  std::uint64_t rows_read_ = 0;
  std::string refusal_;  // why the header or the first row was refused, if it was
  std::string_view record_;
};

}  // namespace glimpse
