#include "learn/options/prices.h"

#include <optional>
#include <unordered_map>

#include "data/text/text.h"

namespace glimpse {

Money add_money(Money a, Money b) {
  const Money sum = a + b;
  return sum < a ? ~Money{0} : sum;
}

Result<Money> parse_money(std::string_view text) {
  const auto wrong = [&](const char* constraint) {
    return failure(ErrorCode::kInvalidInput, "{} {}", in_quotes(text), constraint);
  };
  constexpr const char* kForm = "must be an amount such as 7.27: digits, and at most six after a point";
  Money amount = 0;
  std::size_t digits = 0;
  std::size_t decimals = 0;
  bool point = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      if (point && ++decimals > 6) return wrong(kForm);
      amount = amount * 10 + static_cast<Money>(c - '0');
      ++digits;
      if (amount > kLargestMoney) return wrong("is above 1000000000000");
    } else {
      return wrong(kForm);
    }
  }
  if (digits == 0) return wrong(kForm);
  for (; decimals < 6; ++decimals) {
    if (amount > kLargestMoney / 10) return wrong("is above 1000000000000");
    amount *= 10;
  }
  return amount;
}

Result<Money> parse_positive_money(std::string_view text) {
  const auto amount = parse_money(text);
  if (amount && *amount == 0) return failure(ErrorCode::kInvalidOption, "must be above 0");
  return amount;
}

std::string format_money(Money amount) {
  std::string text = fmt::format("{}", amount / kMoneyUnit);
  if (const Money rest = amount % kMoneyUnit; rest != 0) {
    text += fmt::format(".{:06}", rest);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

Prices::Prices(std::size_t dimension) : own_(dimension, kMoneyUnit), group_(dimension, kNoGroup) {}

std::uint32_t Prices::add_group(Money shared) {
  shared_.push_back(shared);
  return static_cast<std::uint32_t>(shared_.size() - 1);
}

void Prices::set(Attribute attribute, Money own, std::uint32_t group) {
  own_[attribute] = own;
  group_[attribute] = group;
}

Prices Prices::of(std::span<const Attribute> attributes) const {
  Prices some(attributes.size());
  some.shared_ = shared_;
  for (std::size_t a = 0; a < attributes.size(); ++a)
    some.set(static_cast<Attribute>(a), own(attributes[a]), group(attributes[a]));
  return some;
}

void Bill::begin() {
  ++bill_;
  total_ = 0;
}

void Bill::add(Attribute attribute) {
  total_ = add_money(total_, next(attribute));
  if (const std::uint32_t group = prices_->group(attribute); group != Prices::kNoGroup) paid_[group] = bill_;
}

Money Bill::of(std::span<const Attribute> attributes) {
  begin();
  for (const Attribute attribute : attributes) add(attribute);
  return total_;
}

namespace {

std::vector<std::string_view> fields_of(std::string_view line) {
  const std::string_view separators = line.find('\t') != std::string_view::npos  ? "\t"
                                      : line.find(',') != std::string_view::npos ? ","
                                                                                 : " ";
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    std::size_t end = line.find(separators, begin);
    if (end == std::string_view::npos) end = line.size();
    std::string_view field = line.substr(begin, end - begin);
    while (field.starts_with(' ')) field.remove_prefix(1);
    while (field.ends_with(' ')) field.remove_suffix(1);
    if (!field.empty() || separators != " ") fields.push_back(field);
    begin = end + 1;
  }
  while (!fields.empty() && fields.back().empty()) fields.pop_back();
  return fields;
}

// Everything that the file says, before groups are known to be complete.
class PriceList {
 public:
  PriceList(std::size_t dimension, const AttributeNames& names)
      : dimension_(dimension), names_(names), own_(dimension), group_(dimension, Prices::kNoGroup) {}

  Status read(std::string_view line) {
    const auto fields = fields_of(line);
    if (fields.size() < 2 || fields.size() > 3 || fields[0].empty())
      return failure(ErrorCode::kInvalidInput, "must be ATTRIBUTE PRICE [GROUP], @GROUP PRICE or * PRICE");
    const auto price = parse_money(fields[1]);
    if (!price) return failure(ErrorCode::kInvalidInput, "price {}", price.error().message);
    if (fields[0] == "*" || fields[0].starts_with('@')) {
      if (fields.size() > 2)
        return failure(ErrorCode::kInvalidInput, "{} behind the price of {}", in_quotes(fields[2]),
                       fields[0]);
      return fields[0] == "*" ? set_rest(*price) : set_shared(fields[0].substr(1), *price);
    }
    const auto attribute = names_.resolve(fields[0]);
    if (!attribute)
      return failure(ErrorCode::kInvalidInput, "{}{}", attribute.error().message,
                     names_.empty() ? " (names come from --attributes FILE)" : "");
    if (own_[*attribute])
      return failure(ErrorCode::kInvalidInput, "attribute {} has a price already", fields[0]);
    own_[*attribute] = *price;
    if (fields.size() > 2) group_[*attribute] = group_called(fields[2]);
    return {};
  }

  Result<Prices> finish() const {
    Prices prices(dimension_);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].shared)
        return failure(ErrorCode::kInvalidInput, "group {} has no price: add a line '@{} PRICE'",
                       groups_[g].name, groups_[g].name);
      prices.add_group(*groups_[g].shared);
    }
    for (std::size_t i = 0; i < dimension_; ++i) {
      const auto attribute = static_cast<Attribute>(i);
      if (!own_[i] && !rest_)
        return failure(ErrorCode::kInvalidInput,
                       "attribute {}{}{} has no price: list it, or add a line '* PRICE' for all others", i,
                       names_.name(attribute).empty() ? "" : ", ", names_.name(attribute));
      prices.set(attribute, own_[i] ? *own_[i] : *rest_, group_[i]);
    }
    return prices;
  }

 private:
  struct Group {
    std::string name;
    std::optional<Money> shared;
  };

  Status set_rest(Money price) {
    if (rest_) return failure(ErrorCode::kInvalidInput, "* has a price already");
    rest_ = price;
    return {};
  }
  Status set_shared(std::string_view name, Money price) {
    std::optional<Money>& shared = groups_[group_called(name)].shared;
    if (shared) return failure(ErrorCode::kInvalidInput, "@{} has a price already", name);
    shared = price;
    return {};
  }
  std::uint32_t group_called(std::string_view name) {
    const auto [known, is_new] =
        group_index_.try_emplace(std::string(name), static_cast<std::uint32_t>(groups_.size()));
    if (is_new) groups_.push_back({std::string(name), std::nullopt});
    return known->second;
  }
  const std::size_t dimension_;
  const AttributeNames& names_;
  std::vector<std::optional<Money>> own_;
  std::vector<std::uint32_t> group_;
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::uint32_t> group_index_;
  std::optional<Money> rest_;
};

}  // namespace

Result<Prices> parse_prices(std::string_view text, std::size_t dimension, const AttributeNames& names) {
  PriceList list(dimension, names);
  std::size_t line_number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || line[first] == '#') continue;
    if (const Status status = list.read(line); !status)
      return failure(ErrorCode::kInvalidInput, "line {}: {}", line_number, status.error().message);
  }
  return list.finish();
}

}  // namespace glimpse
