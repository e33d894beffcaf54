#include "common/example_writer.h"

#include <bit>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace glimpse {

static_assert(std::endian::native == std::endian::little, "rows are written as they lie in memory");

void NumberText::append(double value, std::string& out) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  Text& text = kept_[(bits * 0x9e3779b97f4a7c15ULL) >> 54];
  static_assert(kKept == std::size_t{1} << (64 - 54));
  if (text.length == 0 || text.bits != bits) {
    const auto end = fmt::format_to_n(text.characters.begin(), text.characters.size(), "{}", value);
    text.length = static_cast<std::uint8_t>(end.size);  // at most 24: -1.2345678901234568e-308
    text.bits = bits;
  }
  out.append(text.characters.data(), text.length);
}

namespace {

void append_index(std::size_t index, std::string& out) {
  const fmt::format_int text(index);
  out.append(text.data(), text.size());
}

// "label 1:0.5 3:2"; without a label "? 1:0.5". Indices count from 1.
class SvmlightWriter final : public ExampleWriter {
 public:
  void append(std::optional<double> label, std::span<const double> values, std::string& out) override {
    if (label) {
      numbers_.append(*label, out);
    } else {
      out += '?';
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == 0) continue;
      out += ' ';
      append_index(i + 1, out);
      out += ':';
      numbers_.append(values[i], out);
    }
    out += '\n';
  }
};

// "label | 0:0.5 2:2"; without a label "| 0:0.5". Indices count from 0.
class VwWriter final : public ExampleWriter {
 public:
  void append(std::optional<double> label, std::span<const double> values, std::string& out) override {
    if (label) {
      numbers_.append(*label, out);
      out += ' ';
    }
    out += '|';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == 0) continue;
      out += ' ';
      append_index(i, out);
      out += ':';
      numbers_.append(values[i], out);
    }
    out += '\n';
  }
};

// "label,0.5,0,2"; without a label ",0.5,0,2", so that every row has the same fields.
class CsvWriter final : public ExampleWriter {
 public:
  void append(std::optional<double> label, std::span<const double> values, std::string& out) override {
    if (label) numbers_.append(*label, out);
    for (const double value : values) {
      out += ',';
      numbers_.append(value, out);
    }
    out += '\n';
  }
};

// {"label":1,"values":{"0":0.5,"2":2}}; without a label {"values":{"0":0.5}}.
class NdjsonWriter final : public ExampleWriter {
 public:
  void append(std::optional<double> label, std::span<const double> values, std::string& out) override {
    out += '{';
    if (label) {
      out += "\"label\":";
      numbers_.append(*label, out);
      out += ',';
    }
    out += "\"values\":{";
    const std::size_t begin = out.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == 0) continue;
      if (out.size() != begin) out += ',';
      out += '"';
      append_index(i, out);
      out += "\":";
      numbers_.append(values[i], out);
    }
    out += "}}\n";
  }
};

// Little-endian singles: the label (NaN without one), then the attributes.
class F32Writer final : public ExampleWriter {
 public:
  void append(std::optional<double> label, std::span<const double> values, std::string& out) override {
    append_single(label.value_or(std::numeric_limits<double>::quiet_NaN()), out);
    for (const double value : values) append_single(value, out);
  }

 private:
  static void append_single(double value, std::string& out) {
    const auto bytes = std::bit_cast<std::array<char, sizeof(float)>>(static_cast<float>(value));
    out.append(bytes.data(), bytes.size());
  }
};

}  // namespace

Result<std::unique_ptr<ExampleWriter>> make_example_writer(Format format) {
  switch (format) {
    case Format::kSvmlight:
      return {std::make_unique<SvmlightWriter>()};
    case Format::kVw:
      return {std::make_unique<VwWriter>()};
    case Format::kCsv:
      return {std::make_unique<CsvWriter>()};
    case Format::kNdjson:
      return {std::make_unique<NdjsonWriter>()};
    case Format::kF32:
      return {std::make_unique<F32Writer>()};
    case Format::kAuto:
    case Format::kNpy:  // says before the first example how many there are
      break;
  }
  return failure(ErrorCode::kInvalidOption,
                 "format '{}' cannot be written; use svmlight, vw, csv, ndjson or f32", name_of(format));
}

std::vector<std::string> written_formats() { return {"svmlight", "vw", "csv", "ndjson", "f32"}; }

Result<std::unique_ptr<ExampleWriter>> make_example_writer(std::string_view format) {
  if (const auto parsed = parse_format(format);
      parsed && format == name_of(*parsed))  // arff is csv to read alone
    if (auto writer = make_example_writer(*parsed)) return writer;
  return failure(ErrorCode::kInvalidOption, "must be svmlight, vw, csv, ndjson or f32");
}

}  // namespace glimpse
