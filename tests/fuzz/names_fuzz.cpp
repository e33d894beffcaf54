// The dictionary of attributes against a list that is searched from the front: names that are found, added,
// fixed and taken back, indices used as numbers, and what is kept in a checkpoint and restored.

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "data/records/attribute_names.h"
#include "data/records/cell.h"
#include "data/text/number.h"
#include "data/text/text.h"
#include "fuzzing.h"

namespace glimpse::names_fuzz {

constexpr std::size_t kDimension = 6;

// Attribute i is called names[i]; empty: it has none.
struct Model {
  std::vector<std::string> names;
  std::size_t fixed = 0;
  std::set<std::size_t> numbers;

  std::optional<Attribute> find(const std::string& name) const {
    const auto at = std::find(names.begin(), names.end(), name);
    if (name.empty() || at == names.end()) return std::nullopt;
    return static_cast<Attribute>(at - names.begin());
  }

  bool fix(const std::vector<std::string>& given) {
    if (given.size() > kDimension) return false;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i].empty()) return false;
      if (std::count(given.begin(), given.end(), given[i]) > 1) return false;
      if (i < names.size() && !names[i].empty() && names[i] != given[i]) return false;
      if (const auto known = find(given[i]); known && *known != i) return false;
    }
    if (names.size() < given.size()) names.resize(given.size());
    std::copy(given.begin(), given.end(), names.begin());
    fixed = std::max(fixed, given.size());
    return true;
  }

  bool is_named(std::size_t index) const { return index < names.size() && !names[index].empty(); }

  // Where attributes are in use by number, what looks like one and is not made of digits alone is no new
  // name: numbers as they or others write them, and NaN and infinities.
  bool is_refused(const std::string& name) const {
    double number = 0;
    std::uint64_t index = 0;
    if (numbers.empty() || read_index(name, index)) return false;
    std::string text(trimmed(name));
    if (read_number(text, number) || looks_like_odd_number(text)) return true;
    if (whole_text_as<double>(text.starts_with('+') ? text.substr(1) : text)) return true;
    if (text.starts_with('+')) text.erase(0, 1);
    while (!text.empty() && std::string_view("+-.#").find(text.front()) != std::string_view::npos)
      text.erase(0, 1);
    constexpr std::string_view kBeside = "+-.,:;_' eExXlL";
    return !text.empty() && is_digit(text.front()) && std::ranges::all_of(text, [&](char c) {
      return is_digit(c) || kBeside.find(c) != std::string_view::npos;
    });
  }

  std::optional<Attribute> find_or_add(const std::string& name) {
    if (const auto known = find(name)) return known;
    if (is_refused(name)) return std::nullopt;
    const std::size_t numbers_end = numbers.empty() ? 0 : *numbers.rbegin() + 1;
    std::size_t free = std::max(names.size(), numbers_end);
    for (std::size_t i = 0; i < kDimension && free >= kDimension; ++i)
      if (!is_named(i) && (numbers.empty() || i < *numbers.begin() || i >= numbers_end)) free = i;
    if (free >= kDimension) return std::nullopt;
    if (names.size() <= free) names.resize(free + 1);
    names[free] = name;
    return static_cast<Attribute>(free);
  }

  bool use_number(std::size_t index) {
    if (index < fixed) return true;
    if (!is_named(index)) numbers.insert(index);
    return !is_named(index);
  }

  bool use_all_numbers() {
    for (std::size_t i = fixed; i < kDimension; ++i)
      if (is_named(i)) return false;
    for (std::size_t i = fixed; i < kDimension; ++i) numbers.insert(i);
    return true;
  }

  // Whatever was done, no name that a record gave is one of a number that a record said.
  void require_apart() const {
    for (const std::size_t i : numbers) require(i < fixed || !is_named(i));
  }
};

void require_same(const AttributeNames& names, const Model& model) {
  require(names.size() == model.names.size());
  for (std::size_t i = 0; i < kDimension; ++i) {
    const auto attribute = static_cast<Attribute>(i);
    require(names.name(attribute) == (i < model.names.size() ? model.names[i] : std::string()));
    const auto called = names.resolve(names.callable_name(attribute));
    require(called && *called == attribute);
  }
}

const Fuzzer fuzzer("names", [](Input input) {
  AttributeNames names(kDimension);
  Model model;
  Model kept;
  for (int steps = 0; !input.empty() && steps < 64; ++steps) {
    const std::uint8_t choice = input.byte();
    switch (choice % 8) {
      case 0:
      case 1: {
        const std::string name(input.up_to(' '));
        if (name.empty()) break;
        const auto mine = names.find_or_add(name);
        const auto expected = model.find_or_add(name);
        require(mine.has_value() == expected.has_value());
        if (mine) require(*mine == *expected);
        break;
      }
      case 2: {
        std::vector<std::string> given;
        for (std::size_t n = choice / 8 % (kDimension + 2); n > 0; --n) given.emplace_back(input.up_to(' '));
        const bool fixed = model.fix(given);
        require(names.fix(given).has_value() == fixed);
        if (fixed) kept = model;
        break;
      }
      case 3: {
        const auto index = static_cast<Attribute>(choice / 8 % kDimension);
        require(names.use_number(index).has_value() == model.use_number(index));
        break;
      }
      case 4:
        names.take_back();
        model = kept;
        break;
      case 5:
        names.keep();
        kept = model;
        break;
      case 6:
        require(names.use_all_numbers().has_value() == model.use_all_numbers());
        break;
      default: {
        State state;
        state.begin();
        names.save(state);
        state.finish();
        AttributeNames restored(kDimension);
        require(restored.restore(state).has_value());
        names = std::move(restored);
        kept = model;
      }
    }
    require_same(names, model);
    model.require_apart();
  }
});

}  // namespace glimpse::names_fuzz
