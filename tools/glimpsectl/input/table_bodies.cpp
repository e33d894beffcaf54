#include "glimpsectl/input/table_bodies.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/numbers.h"
#include "data/text/text.h"

namespace glimpse::ctl {

namespace {
constexpr std::size_t kRead = std::size_t{64} << 10;
}

Result<std::unique_ptr<TableBodies>> TableBodies::open(const std::string& path, std::string& format,
                                                       std::vector<std::string> names) {
  GLIMPSE_TRY_ASSIGN(const Format given, parse_format(format.empty() ? "auto" : format));
  std::unique_ptr<TableBodies> table(new TableBodies(path));
  if (!table->file_.is_open())
    return failure(ErrorCode::kSystem, "'{}' cannot be opened: {}", path, std::strerror(errno));
  std::string& bytes = table->beginning_;
  std::string_view sample;
  for (bool is_end = false; !is_end && sample.empty(); sample = sample_of(bytes, {})) {
    GLIMPSE_TRY_ASSIGN(const auto more, table->read(kRead));
    is_end = more.empty();
    bytes += more;
  }
  const bool is_whole = sample.empty();
  TableHints hints;
  hints.column_names = std::move(names);
  auto sniffed = sniff(is_whole ? bytes : sample, is_whole, given, hints);
  if (!sniffed) return failure(sniffed.error().code, "'{}': {}", path, sniffed.error().message);
  format = name_of(sniffed->format);
  if (sniffed->format != Format::kCsv) return std::unique_ptr<TableBodies>();
  const SniffedTable& of = sniffed->table;
  table->rows_.emplace(of.dialect, sniffed->encoding, sniffed->mark);
  table->width_ = of.columns.size();
  for (const SniffedColumn& column : of.columns) table->forms_.push_back(form_of(column));
  if (!of.first_names.empty())
    for (const SniffedColumn& column : of.columns) table->names_.push_back(column.name);
  return table;
}

// Up to so many bytes; none at the end.
Result<std::string> TableBodies::read(std::size_t size) {
  std::string bytes(size, '\0');
  in_.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!buffer_.status())
    return failure(buffer_.status().error().code, "'{}': {}", path_, buffer_.status().error().message);
  bytes.resize(static_cast<std::size_t>(in_.gcount()));
  return bytes;
}

Status TableBodies::keep(const std::vector<std::string>& columns, std::string_view option) {
  for (const std::string& column : columns) {
    const auto named = std::ranges::find(names_, column);
    const auto number = column.starts_with('#') ? whole_text_as<std::size_t>(column.substr(1)) : std::nullopt;
    const std::size_t place =
        named != names_.end() ? static_cast<std::size_t>(named - names_.begin()) : number.value_or(0) - 1;
    const std::vector<std::string_view> known(names_.begin(), names_.end());
    if (place >= width_)
      return failure(ErrorCode::kInvalidInput, "{}: '{}' has no column '{}'{}", option, path_, column,
                     names_.empty() ? fmt::format("; without a header they are called #1 to #{}", width_)
                                    : did_you_mean(column, known));
    kept_.push_back(place);
  }
  return {};
}

void TableBodies::send_only(const std::vector<std::string>& columns) {
  for (const std::string& name : names_)
    is_sent_.push_back(std::ranges::find(columns, name) != columns.end());
}

std::string TableBodies::query() const {
  return fmt::format("?format=csv&header={}&delimiter=%2C", names_.empty() ? "no" : "yes");
}

template <class Fields>
std::vector<std::string> TableBodies::sent_of(const Fields& fields) const {
  std::vector<std::string> sent;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (i >= is_sent_.size() || is_sent_[i]) sent.emplace_back(fields[i]);
  return sent;
}

Result<std::optional<TableBodies::Body>> TableBodies::next(std::size_t size) {
  Body body;
  body.rows_before = given_;
  if (!names_.empty()) append_record(sent_of(names_), body.text);
  const auto take = [&](const auto& fields) {
    if (is_sent_.empty())
      append_record(fields, body.text);
    else
      append_record(sent_of(fields), body.text);
    ++body.rows;
    if (kept_.empty()) return body.text.size() < size;
    std::string kept;
    for (const std::size_t column : kept_) {
      if (column < fields.size()) append_field(fields[column], false, kept);
      kept += ',';
    }
    body.kept.push_back(std::move(kept));
    return body.text.size() < size;
  };
  // What is left of the bytes before comes first.
  for (std::string bytes = std::exchange(beginning_, {});;) {
    rows_->read(bytes, is_end_, take);
    if (is_end_ || body.text.size() >= size) break;
    GLIMPSE_TRY_ASSIGN(bytes, read(kRead));
    is_end_ = bytes.empty();
  }
  given_ += body.rows;
  if (body.rows == 0) return std::optional<Body>();
  return body;
}

}  // namespace glimpse::ctl
