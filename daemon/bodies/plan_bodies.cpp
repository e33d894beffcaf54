#include "daemon/bodies/plan_bodies.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/units.h"
#include "data/formats/csv_cells.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

using Kind = JsonNode::Kind;
constexpr double kLongest = 10 * 365.25 * 86400;
constexpr std::size_t kLeastItem = 8;  // bytes of an item of a batch, on average, where these are more than
constexpr std::size_t kFreeItems = 1000;  // so many

Error wrong_kind(const JsonNode& node, const char* wanted) {
  return failure(ErrorCode::kInvalidInput, "'{}' must be {}, not {}", node.key, wanted, name_of(node.kind));
}

Error unknown_member(const JsonNode& node, const char* known) {
  return failure(ErrorCode::kInvalidInput, "unknown member {}; there are {}", in_quotes(node.key), known);
}

// A finite number, in "what 'text' is not a finite number".
Status read_real(const JsonNode& node, const char* what, double& value) {
  if (node.kind != Kind::kNumber || !read_number(node.text, value))
    return failure(
        ErrorCode::kInvalidInput, "{} {} is not a finite number", what,
        node.kind == Kind::kNumber || node.kind == Kind::kString ? in_quotes(node.text) : name_of(node.kind));
  return {};
}

bool says_attribute(const JsonNode& node) {
  return node.kind == Kind::kString ||
         (node.kind == Kind::kNumber && node.text.find_first_not_of("0123456789") == std::string_view::npos);
}

// For each child of node `n` in order.
template <class Visit>
Status for_each_child(const JsonNodes& json, std::size_t n, const Visit& visit) {
  for (std::size_t child = n + 1; child < json[n].end; child = json[child].end) GLIMPSE_TRY(visit(child));
  return {};
}

Status twice(const JsonNode& node) {
  return failure(ErrorCode::kInvalidInput, "'{}' is given twice", node.key);
}

Status read_attributes(const JsonNodes& json, std::size_t n, std::vector<CalledAttribute>& attributes) {
  if (json[n].kind != Kind::kArray) return wrong_kind(json[n], "an array of attributes");
  return for_each_child(json, n, [&](std::size_t child) -> Status {
    if (!says_attribute(json[child]))
      return failure(ErrorCode::kInvalidInput, "'{}' must hold attributes by number or name, not {}",
                     json[n].key, name_of(json[child].kind));
    attributes.push_back({std::string(json[child].text), json[child].kind == Kind::kNumber});
    return {};
  });
}

Status read_ttl(const JsonNode& node, double& seconds) {
  if (node.kind == Kind::kString) {
    const auto time = parse_duration(node.text);
    if (!time)
      return failure(ErrorCode::kInvalidInput, "ttl {}: {}", in_quotes(node.text), time.error().message);
    seconds = std::chrono::duration<double>(*time).count();
  } else if (const Status read = read_real(node, "ttl", seconds); !read) {
    return read;
  }
  if (!(seconds > 0 && seconds <= kLongest))
    return failure(ErrorCode::kInvalidInput, "ttl {} must be above 0 and at most ten years",
                   in_quotes(node.text));
  return {};
}

}  // namespace

Result<AskRequest> read_ask(std::string_view body) {
  AskRequest request;
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) return request;
  JsonNodes json(kMostJsonNodes);
  std::string arena;
  arena.reserve(body.size());
  GLIMPSE_TRY(json.parse(body, arena));
  if (json[0].kind != Kind::kObject)
    return failure(ErrorCode::kInvalidInput, "the body must be an object such as {{\"count\": 10}}, not {}",
                   name_of(json[0].kind));
  unsigned seen = 0;
  const Status status = for_each_child(json, 0, [&](std::size_t n) -> Status {
    const JsonNode& node = json[n];
    constexpr std::string_view kMembers[] = {"count", "available", "ttl", "for", "known", "label"};
    const auto* const member = std::find(std::begin(kMembers), std::end(kMembers), node.key);
    if (member == std::end(kMembers))
      return unknown_member(node, "count, available, ttl, for, known and label");
    const auto place = static_cast<unsigned>(member - kMembers);
    if ((seen >> place & 1) != 0) return twice(node);
    seen |= 1U << place;
    switch (place) {
      case 0: {
        std::uint64_t count = 0;
        if (node.kind != Kind::kNumber || !read_index(node.text, count) || count < 1)
          return failure(ErrorCode::kInvalidInput, "'count' must be a whole number from 1");
        request.count = count;
        return {};
      }
      case 1:
        request.names_available = true;
        return read_attributes(json, n, request.available);
      case 2:
        return read_ttl(node, request.ttl_seconds.emplace());
      case 3:
        if (node.kind != Kind::kString || (node.text != "prediction" && node.text != "learning"))
          return failure(ErrorCode::kInvalidInput, "'for' must be \"learning\" or \"prediction\"");
        request.for_prediction = node.text == "prediction";
        return {};
      case 5:
        if (node.kind != Kind::kString)
          return failure(ErrorCode::kInvalidInput, "'label' must be a label's name, not {}",
                         name_of(node.kind));
        request.label = std::string(node.text);
        return {};
      default: {
        GLIMPSE_TRY_ASSIGN(request.known, read_known(json, n));
        return {};
      }
    }
  });
  if (!status) return status.error();
  if (request.names_available && request.available.empty())
    return failure(ErrorCode::kInvalidInput, "'available' is empty: there is nothing to ask for");
  if (!request.for_prediction && (seen >> 4 & 1) != 0)
    return failure(ErrorCode::kInvalidInput, "'known' is for asks with \"for\": \"prediction\" only");
  if (request.for_prediction && request.ttl_seconds)
    return failure(ErrorCode::kInvalidInput,
                   "'ttl' is for plans: nothing is kept of an ask for a prediction");
  return request;
}

Status resolve_attributes(std::span<const CalledAttribute> called, const AttributeNames& names,
                          std::vector<Attribute>& attributes) {
  for (const auto& [text, is_number] : called) {
    GLIMPSE_TRY_ASSIGN(const auto attribute, names.resolve(text, is_number));
    attributes.push_back(attribute);
  }
  return {};
}

Status sort_attributes(std::vector<Attribute>& attributes) {
  std::sort(attributes.begin(), attributes.end());
  if (const auto twice = std::adjacent_find(attributes.begin(), attributes.end()); twice != attributes.end())
    return failure(ErrorCode::kInvalidInput, "attribute {} is named twice", *twice);
  return {};
}

namespace {

class TellReader {
 public:
  TellReader(TellBatch& batch, JsonNodes& json) : batch_(batch), json_(json) {}

  void read(std::string_view text) {
    Told& item = batch_.items.emplace_back();
    item.values_begin = item.values_end = batch_.values.size();
    item.refused_begin = item.refused_end = batch_.refused.size();
    item.labels_begin = item.labels_end = batch_.labels.size();
    if (const Status status = read_item(text, item); !status) {
      item.error = status.error().message;
      find_id(item);
    }
    item.values_end = batch_.values.size();
    item.refused_end = batch_.refused.size();
    item.labels_end = batch_.labels.size();
  }

 private:
  // The answer to a wrong item holds its id, so that the client finds the item.
  void find_id(Told& item) const {
    if (!item.id.empty() || json_.nodes().empty() || json_[0].kind != Kind::kObject) return;
    for (std::size_t n = 1; n < json_[0].end; n = json_[n].end)
      if (json_[n].key == "id" && json_[n].kind == Kind::kString) item.id = json_[n].text;
  }

  Status read_item(std::string_view text, Told& item) {
    GLIMPSE_TRY(json_.parse(text, batch_.arena));
    if (json_[0].kind != Kind::kObject)
      return failure(ErrorCode::kInvalidInput, "an item must be an object, not {}", name_of(json_[0].kind));
    unsigned seen = 0;
    const Status status = for_each_child(json_, 0, [&](std::size_t n) -> Status {
      const JsonNode& node = json_[n];
      constexpr std::string_view kMembers[] = {"id", "label", "importance", "values", "refused", "labels"};
      const auto* const member = std::find(std::begin(kMembers), std::end(kMembers), node.key);
      if (member == std::end(kMembers))
        return unknown_member(node, "id, label, labels, importance, values and refused");
      const auto place = static_cast<unsigned>(member - kMembers);
      if ((seen >> place & 1) != 0) return twice(node);
      seen |= 1U << place;
      switch (place) {
        case 0:
          if (node.kind != Kind::kString) return wrong_kind(node, "a string");
          item.id = node.text;
          return {};
        case 1:
          return node.kind == Kind::kNull ? Status() : read_value(node, "label", item.label, item.label_text);
        case 2:
          return node.kind == Kind::kNull ? Status()
                                          : read_real(node, "importance", item.importance.emplace());
        case 3:
          return read_values(n, item);
        case 4:
          return node.kind == Kind::kNull ? Status() : read_attributes(json_, n, batch_.refused);
        default:
          return read_labels(n, item);
      }
    });
    if (!status) return status;
    if (item.id.empty()) return failure(ErrorCode::kInvalidInput, "'id' is missing: whose values are these?");
    item.has_values = item.has_values || batch_.refused.size() > item.refused_begin;
    const auto is_told = [](const Told::Value& label) { return !label.text.empty(); };
    const auto labels = std::span(batch_.labels).subspan(item.labels_begin);
    if (!item.has_values && !item.label && std::ranges::none_of(labels, is_told))
      return failure(
          ErrorCode::kInvalidInput,
          "no label, value or refused attribute is given: send 'label' (of several 'labels'), 'values' or "
          "'refused'");
    return {};
  }

  Status read_values(std::size_t n, Told& item) {
    if (json_[n].kind == Kind::kNull) return {};
    if (json_[n].kind != Kind::kArray && json_[n].kind != Kind::kObject)
      return wrong_kind(json_[n], "an object of attributes, or an array in the plan's order");
    item.has_values = true;
    item.in_plan_order = json_[n].kind == Kind::kArray;
    return for_each_child(json_, n, [&](std::size_t child) -> Status {
      const JsonNode& node = json_[child];
      Told::Value& value =
          batch_.values.emplace_back(Told::Value{node.key, std::numeric_limits<double>::quiet_NaN()});
      if (node.kind == Kind::kNull) return {};
      std::optional<double> number;
      const Status status = read_value(node, "value", number, value.text);
      if (number) value.value = *number;
      return status;
    });
  }

  Status read_labels(std::size_t n, Told& item) {
    if (json_[n].kind == Kind::kNull) return {};
    if (json_[n].kind != Kind::kObject) return wrong_kind(json_[n], "an object of labels by their names");
    item.has_labels = true;
    return for_each_child(json_, n, [&](std::size_t child) -> Status {
      const JsonNode& node = json_[child];
      Told::Value& label =
          batch_.labels.emplace_back(Told::Value{node.key, std::numeric_limits<double>::quiet_NaN()});
      if (node.kind == Kind::kNull) return {};
      if (node.kind != Kind::kNumber && node.kind != Kind::kString)
        return failure(ErrorCode::kInvalidInput, "the label {} must be a number or null, not {}",
                       in_quotes(node.key), name_of(node.kind));
      std::optional<double> number;
      const std::string what = fmt::format("the label {}", in_quotes(node.key));
      const Status status = read_value(node, what.c_str(), number, label.text);
      if (number) label.value = *number;
      return status;
    });
  }

  // A number, or a word, which is NaN; none for a word that says that it is missing.
  static Status read_value(const JsonNode& node, const char* what, std::optional<double>& value,
                           std::string_view& text) {
    text = trimmed(node.text);
    double number = 0;
    if (node.kind == Kind::kString && read_number(text, number)) {
      value = number;
      return {};
    }
    if (node.kind != Kind::kString) return read_real(node, what, value.emplace());
    if (is_missing_cell(text)) {
      text = {};
      return {};
    }
    value = std::numeric_limits<double>::quiet_NaN();
    return {};
  }

  TellBatch& batch_;
  JsonNodes& json_;
};

// An object may stretch over lines; what is none as a whole is one object a line.
bool is_one_object(std::string_view body, JsonNodes& json) {
  const std::size_t line = body.find('\n');
  if (line == std::string_view::npos || body.find_first_not_of(" \t\r\n", line) == std::string_view::npos)
    return true;
  std::string arena;
  arena.reserve(body.size());
  return json.parse(body, arena).has_value();
}

}  // namespace

Result<TellItems> TellItems::open(std::string_view body) {
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos)
    return failure(ErrorCode::kInvalidInput, "the body is empty: tell of one plan or of several");
  TellItems items(body.substr(first));
  items.is_batch_ = items.texts_.is_array() || !is_one_object(items.body_, items.json_);
  if (!items.is_batch_) return items;
  GLIMPSE_TRY_ASSIGN(const auto count, items.texts_.count());
  // An answer to each would be many times the body.
  if (count > kFreeItems + body.size() / kLeastItem)
    return failure(
        ErrorCode::kInvalidInput,
        "{} bytes are {} items, on average shorter than any item that tells something: nothing was taken; "
        "one looks like {{\"id\": \"3f9a2b-1842\", \"label\": 1}}",
        body.size(), count);
  return items;
}

bool TellItems::next(TellBatch& batch, std::size_t most, std::size_t least) {
  batch = {};
  std::vector<std::string_view> texts;
  std::size_t bytes = 0;
  while (texts.size() < most && bytes < least) {
    const auto text = is_batch_                       ? texts_.next()
                      : std::exchange(is_read_, true) ? std::nullopt
                                                      : std::optional(body_);
    if (!text) break;
    texts.push_back(*text);
    bytes += text->size() + 1;
  }
  // Views of it outlive moves of the batch, so it must not be so short that a string keeps it inside itself.
  batch.arena.reserve(std::max<std::size_t>(bytes, 64));
  TellReader reader(batch, json_);
  for (const std::string_view text : texts) reader.read(text);
  return !texts.empty();
}

}  // namespace glimpse
