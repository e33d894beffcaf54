#include "base/option_row.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/units.h"

namespace glimpse {

namespace {

using Parse = std::function<Result<OptionValue>(const std::string& text)>;

Error must_be(std::string_view constraint) {
  return failure(ErrorCode::kInvalidOption, "must be {}", constraint);
}

// What `read` makes of a text, or an Error that it must be `accepts`.
template <class Read>
Parse number_of(std::string accepts, Read read) {
  return [=](const std::string& text) -> Result<OptionValue> {
    const std::optional<OptionValue> value = read(text);
    if (!value) return must_be(accepts);
    return *value;
  };
}

OptionValue real_value(double real) { return {.real = real, .text = {}}; }

// A kind whose member is set to what is parsed.
OptionKind set_by(const OptionMember& member, std::string accepts, const Parse& parse) {
  OptionKind kind{[=](void* target, std::string_view option, const std::string& text) -> Status {
                    const auto value = parse(text);
                    if (!value)
                      return invalid_option(option, text.empty() ? "''" : text, value.error().message);
                    member.use->set(static_cast<std::byte*>(target) + member.offset, *value);
                    return {};
                  },
                  member.target,
                  {member}};
  kind.accepts = std::move(accepts);
  return kind;
}

std::byte* at(void* target, std::size_t offset) { return static_cast<std::byte*>(target) + offset; }
const std::byte* at(const void* target, std::size_t offset) {
  return static_cast<const std::byte*>(target) + offset;
}

Result<OptionValue> duration_of(const std::string& text, bool is_positive) {
  const auto time = parse_duration(text);
  if (!time) return time.error();
  if (is_positive && time->count() == 0) return must_be("above 0");
  return OptionValue{.whole = static_cast<std::uint64_t>(time->count()), .text = {}};
}

constexpr const char* kTime = "a time: ms, s, m, h or d";

}  // namespace

OptionKind OptionKind::whole(const OptionMember& member, std::uint64_t lowest, std::uint64_t highest) {
  constexpr std::uint64_t kWorthSaying = 1000000000000;
  const std::string range = highest >= kWorthSaying
                                ? fmt::format("a whole number from {}", lowest)
                                : fmt::format("a whole number from {} to {}", lowest, highest);
  return set_by(member, range, number_of(range, [=](const std::string& text) -> std::optional<OptionValue> {
                  const auto number = whole_text_as<std::uint64_t>(text);
                  if (!number || *number < lowest || *number > highest) return std::nullopt;
                  return OptionValue{.whole = *number, .text = {}};
                }));
}

OptionKind OptionKind::number(const OptionMember& member) {
  return set_by(member, "a number", number_of("a finite number", [](const std::string& text) {
                  const auto number = finite_number(text);
                  return number ? std::optional(real_value(*number)) : std::nullopt;
                }));
}

OptionKind OptionKind::number(const OptionMember& member, NumberRange range) {
  const std::string accepts =
      range.is_open ? fmt::format("a number above {} and at most {}", range.lowest, range.highest)
                    : fmt::format("a number from {} to {}", range.lowest, range.highest);
  return set_by(member, accepts, number_of(accepts, [=](const std::string& text) {
                  const auto number = finite_number(text);
                  const bool is_within = number && *number <= range.highest &&
                                         (range.is_open ? *number > range.lowest : *number >= range.lowest);
                  return is_within ? std::optional(real_value(*number)) : std::nullopt;
                }));
}

OptionKind OptionKind::positive(const OptionMember& member) {
  return set_by(member, "a number above 0", number_of("a number above 0", [](const std::string& text) {
                  const auto number = finite_number(text);
                  return number && *number > 0 ? std::optional(real_value(*number)) : std::nullopt;
                }));
}

OptionKind OptionKind::percent(const OptionMember& member) {
  constexpr const char* kRange = "a whole number from 1% to 100%";
  return set_by(member, kRange, number_of(kRange, [](std::string_view text) -> std::optional<OptionValue> {
                  const auto number = take_number<unsigned>(text);
                  if (text != "%" || !number || *number < 1 || *number > 100) return std::nullopt;
                  return OptionValue{.whole = *number, .text = {}};
                }));
}

OptionKind OptionKind::duration(const OptionMember& member) {
  return set_by(member, kTime, [](const std::string& text) { return duration_of(text, false); });
}

OptionKind OptionKind::positive_duration(const OptionMember& member) {
  return set_by(member, kTime, [](const std::string& text) { return duration_of(text, true); });
}

OptionKind OptionKind::bytes(const OptionMember& member) {
  return set_by(member, "a size in bytes, KiB, MiB or GiB",
                [](const std::string& text) -> Result<OptionValue> {
                  GLIMPSE_TRY_ASSIGN(const std::size_t bytes, parse_bytes(text));
                  return OptionValue{.whole = bytes, .text = {}};
                });
}

OptionKind OptionKind::text(const OptionMember& member) {
  return set_by(member, "", [](const std::string& text) -> Result<OptionValue> {
    if (text.empty()) return failure(ErrorCode::kInvalidOption, "must not be empty");
    return OptionValue{.text = text};
  });
}

OptionKind OptionKind::any_text(const OptionMember& member) {
  return set_by(member, "",
                [](const std::string& text) -> Result<OptionValue> { return OptionValue{.text = text}; });
}

OptionKind OptionKind::texts(const OptionMember& member) { return any_text(member).repeated(); }

OptionKind OptionKind::on_off(const OptionMember& member) {
  OptionKind kind = choice<bool>(member, {{"on", true}, {"off", false}});
  kind.accepts = "on or off";
  return kind;
}

OptionKind OptionKind::flag(const OptionMember& member) {
  OptionKind kind = set_by(member, "on or off", [](const std::string&) -> Result<OptionValue> {
    return OptionValue{.whole = 1, .text = {}};
  });
  kind.is_flag = true;
  return kind;
}

OptionKind OptionKind::value() { return {nullptr, typeid(void), {}}; }

OptionKind OptionKind::word() {
  OptionKind kind = value();
  kind.is_flag = true;
  return kind;
}

OptionKind OptionKind::words(const OptionMember& member, const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, OptionValue>> values;
  for (const std::string& word : words) values.emplace_back(word, OptionValue{.text = word});
  return choice_of(member, std::move(values));
}

OptionKind OptionKind::choice_of(const OptionMember& member,
                                 std::vector<std::pair<std::string, OptionValue>> words) {
  std::string names;
  for (const auto& [word, meaning] : words) names += (names.empty() ? "" : ", ") + word;
  const std::string accepts = "one of " + names;
  OptionKind kind =
      set_by(member, accepts, number_of(accepts, [=](const std::string& text) -> std::optional<OptionValue> {
               for (const auto& [word, meaning] : words)
                 if (word == text) return meaning;
               return std::nullopt;
             }));
  for (const auto& [word, meaning] : words) kind.choices.push_back(word);
  return kind;
}

OptionKind OptionKind::with_choices(std::vector<std::string> words) const {
  OptionKind kind = *this;
  kind.choices = std::move(words);
  return kind;
}

OptionKind OptionKind::repeated() const {
  OptionKind kind = *this;
  kind.is_repeated = true;
  return kind;
}

void OptionKind::check_type(std::type_index is, std::type_index wanted) {
  if (is != wanted)
    throw std::logic_error(fmt::format("an option of {} is used with {}", wanted.name(), is.name()));
}

OptionRow::OptionRow(std::string_view option, std::string text, OptionKind of, OptionExtras extras)
    : OptionRow(option, std::move(text), std::move(of), std::string(), std::move(extras)) {}

OptionRow::OptionRow(std::string_view option, std::string text, OptionKind of, std::string more,
                     OptionExtras extras)
    : OptionExtras(std::move(extras)),
      sentence(std::move(text)),
      details(std::move(more)),
      kind(std::move(of)) {
  const std::size_t equals = option.find(" = ");
  if (equals != std::string_view::npos) standard = option.substr(equals + 3);
  option = option.substr(0, equals);
  name = option.substr(0, option.find(' '));
  if (name.size() < option.size()) value = option.substr(name.size() + 1);
}

std::string OptionRow::described() const {
  const bool says_it = standard.empty() || kind.is_flag || sentence.find("default") != std::string::npos;
  return says_it ? sentence : fmt::format("{}; default {}", sentence, standard);
}

Status OptionRow::read_into(void* target, std::type_index type, const std::string& text) const {
  OptionKind::check_type(type, kind.target);
  return kind.read(at(target, kind.part), name, text);
}

bool OptionRow::are_same(const void* a, const void* b, std::type_index type) const {
  OptionKind::check_type(type, kind.target);
  return std::ranges::all_of(kind.members, [&](const OptionMember& member) {
    const std::size_t offset = kind.part + member.offset;
    return member.use->same(at(a, offset), at(b, offset));
  });
}

void OptionRow::copy_members(void* to, const void* from, std::type_index type) const {
  OptionKind::check_type(type, kind.target);
  for (const OptionMember& member : kind.members)
    member.use->copy(at(to, kind.part + member.offset), at(from, kind.part + member.offset));
}

bool OptionRule::is_kept_in(const void* of, std::type_index type) const {
  OptionKind::check_type(type, target);
  return is_kept(at(of, part));
}

OptionRow of_part(OptionRow row, const OptionMember& place) {
  OptionKind::check_type(row.kind.target, *place.use->type);
  row.kind.target = place.target;
  row.kind.part += place.offset;
  for (OptionRule& rule : row.rules) {
    OptionKind::check_type(rule.target, *place.use->type);
    rule.target = place.target;
    rule.part += place.offset;
  }
  return row;
}

std::vector<OptionRow> of_part(std::vector<OptionRow> rows, const OptionMember& place) {
  for (OptionRow& row : rows) row = of_part(std::move(row), place);
  return rows;
}

const OptionRow* find_row(const std::vector<OptionRow>& rows, std::string_view name) {
  const auto row = std::ranges::find(rows, name, &OptionRow::name);
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace glimpse
