#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include "base/result.h"

namespace glimpse {

/// The table of options of a program. A row is all that is said of an option: the command line, --help, the
/// configuration file, contradictions, what may change while running, manual pages and completions are made
/// from it. Rows are values of one type, whatever struct the options are read into:
///
///     struct Draw { std::uint64_t seeds = 1; std::string name; };
///     const std::vector<OptionRow> rows{
///         {"seeds N = 1", "runs", OptionKind::whole(&Draw::seeds, 1, 1000)},
///         {"name TEXT", "of the picture", OptionKind::text(&Draw::name)}};
///
/// Rows that are read into another type than theirs throw std::logic_error.

/// What becomes of an option when a running program reads its configuration again.
enum class Reload : std::uint8_t {
  kRestart,    ///< another value waits for a restart
  kNow,        ///< another value holds at once
  kFile,       ///< the file that it names is read again; another name waits for a restart
  kNamedFile,  ///< the file that it names is read again, another one too; naming none waits for a restart
};

/// A value that was read, before it is a member's.
struct OptionValue {
  std::uint64_t whole = 0;  ///< of flags 1; of durations milliseconds
  double real = 0;
  std::string text;
  bool is_none = false;  ///< of std::optional
};

/// Where a member lies in the struct that options are read into, and what can be done with one of its type:
/// `&Draw::seeds`, or of a member's member `{&Configuration::learner, &LearnerOptions::budget}`.
struct OptionMember {
  template <class Target, class T>
  OptionMember(T Target::* member) : offset(offset_of(member)), target(typeid(Target)), use(&kUse<T>) {}
  template <class Target, class Part, class... Rest>
  OptionMember(Part Target::* part, Rest... rest) : OptionMember(rest...) {
    offset += offset_of(part);
    target = typeid(Target);
  }

  /// What can be done with members of one type.
  struct Use {
    const std::type_info* type;
    const std::type_info* inner;  ///< of std::optional<T> T
    void (*set)(void* member, const OptionValue& value);
    bool (*same)(const void* a, const void* b);
    void (*copy)(void* to, const void* from);
  };

  std::size_t offset;  ///< bytes
  std::type_index target;
  const Use* use;

 private:
  template <class T>
  struct Inner {
    using Type = T;
  };
  template <class T>
  struct Inner<std::optional<T>> {
    using Type = T;
  };

  template <class Target, class T>
  static std::size_t offset_of(T Target::* member) {
    alignas(Target) static std::byte room[sizeof(Target)];  // no Target is made there
    const auto* const target = reinterpret_cast<const Target*>(room);
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&(target->*member)) - room);
  }

  template <class T>
  static void set_member(void* to, const OptionValue& value) {
    using Value = typename Inner<T>::Type;
    T& member = *static_cast<T*>(to);
    if constexpr (!std::is_same_v<T, Value>)
      if (value.is_none) return member.reset();
    if constexpr (std::is_same_v<Value, std::string>)
      member = value.text;
    else if constexpr (std::is_same_v<Value, std::vector<std::string>>)
      member.push_back(value.text);
    else if constexpr (std::is_floating_point_v<Value>)
      member = static_cast<Value>(value.real);
    else if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>)
      member = static_cast<Value>(value.whole);
    else if constexpr (std::is_same_v<Value, std::chrono::milliseconds>)
      member = Value(value.whole);
    else
      throw std::logic_error("an option's member is of a type that its kind does not read");
  }
  template <class T>
  static bool are_same(const void* a, const void* b) {
    if constexpr (std::equality_comparable<T>)
      return *static_cast<const T*>(a) == *static_cast<const T*>(b);
    else
      return false;
  }
  template <class T>
  static void copy_member(void* to, const void* from) {
    if constexpr (std::is_copy_assignable_v<T>) *static_cast<T*>(to) = *static_cast<const T*>(from);
  }

  template <class T>
  static constexpr Use kUse{&typeid(T), &typeid(typename Inner<T>::Type), set_member<T>, are_same<T>,
                            copy_member<T>};
};

/// From `lowest` to `highest`, with or without the lowest.
struct NumberRange {
  double lowest;
  double highest;
  bool is_open = false;  ///< above `lowest`
};

/// How the value of an option is read, and which members it sets: these are compared and copied together.
/// Errors (kInvalidOption) name the option, the value and the constraint.
struct OptionKind {
  using Read = std::function<Status(void* target, std::string_view option, const std::string& value)>;

  Read read;
  std::type_index target;
  std::vector<OptionMember> members;
  std::string accepts{};               ///< "a whole number from 1 to 1000"; empty: the sentence says it
  std::vector<std::string> choices{};  ///< words that a shell may offer; there may be other values
  bool is_flag = false;                ///< there or not; on, off or nothing in a file
  bool is_repeated = false;            ///< read() is called for each value in the order given
  std::size_t part = 0;                ///< bytes from what is read into to the struct of the members

  static OptionKind whole(const OptionMember& member, std::uint64_t lowest, std::uint64_t highest);
  static OptionKind number(const OptionMember& member);  ///< finite
  static OptionKind number(const OptionMember& member, NumberRange range);
  static OptionKind positive(const OptionMember& member);  ///< a number above 0
  static OptionKind percent(const OptionMember& member);   ///< a whole one from 1% to 100%
  static OptionKind duration(const OptionMember& member);
  static OptionKind positive_duration(const OptionMember& member);
  static OptionKind bytes(const OptionMember& member);
  static OptionKind text(const OptionMember& member);  ///< not empty
  static OptionKind any_text(const OptionMember& member);
  static OptionKind texts(const OptionMember& member);  ///< each value is added
  static OptionKind on_off(const OptionMember& member);
  static OptionKind flag(const OptionMember& member);
  /// A flag, or a value, of the command line alone: its program asks for it by name.
  static OptionKind word();
  static OptionKind value();
  /// One of the words, which become the member's text.
  static OptionKind words(const OptionMember& member, const std::vector<std::string>& words);

  /// One of the words, each with the value of T that it stands for; std::nullopt of an optional.
  template <class T>
  static OptionKind choice(const OptionMember& member, const std::vector<std::pair<std::string, T>>& words) {
    std::vector<std::pair<std::string, OptionValue>> values;
    for (const auto& [word, meaning] : words) values.emplace_back(word, value_of(meaning));
    return choice_of(member, std::move(values));
  }

  /// What `parse(value)` makes of it: a Result whose message says what the value must be.
  template <class Parse>
  static OptionKind parsed(const OptionMember& member, std::string accepts, Parse parse) {
    OptionKind kind = parsed(member, [=](std::string_view option, const std::string& text) {
      auto value = parse(text);
      if (!value) value = invalid_option(option, text, value.error().message);
      return value;
    });
    kind.accepts = std::move(accepts);
    return kind;
  }
  /// What `parse(option, value)` makes of it, whose Errors are whole messages.
  template <class Parse>
  static OptionKind parsed(const OptionMember& member, Parse parse) {
    using T = std::remove_cvref_t<decltype(*parse(std::string_view(), std::string()))>;
    constexpr bool kIsNumber = std::is_arithmetic_v<T>;
    if (!kIsNumber) check_type(*member.use->inner, typeid(T));
    const bool is_optional = *member.use->type != *member.use->inner;
    return {[=](void* target, std::string_view option, const std::string& text) -> Status {
              auto value = parse(option, text);
              if (!value) return value.error();
              void* const place = static_cast<std::byte*>(target) + member.offset;
              if constexpr (kIsNumber)
                member.use->set(place, value_of(*value));
              else if (is_optional)
                *static_cast<std::optional<T>*>(place) = *std::move(value);
              else
                *static_cast<T*>(place) = *std::move(value);
              return {};
            },
            member.target,
            {member}};
  }

  /// What `parse(value, target)` does. Its Errors are whole messages.
  template <class Text, class Target>
  static OptionKind custom(Status (*parse)(Text, Target&), std::vector<OptionMember> members = {}) {
    return custom_of<Target>(
        [=](Target& target, std::string_view, const std::string& value) { return parse(value, target); },
        std::move(members));
  }
  template <class Target>
  static OptionKind custom(Status (*read)(Target&, std::string_view option, const std::string& value),
                           std::vector<OptionMember> members = {}) {
    return custom_of<Target>(read, std::move(members));
  }
  template <class Target>
  static OptionKind custom_of(std::function<Status(Target&, std::string_view, const std::string&)> read,
                              std::vector<OptionMember> members = {}) {
    OptionKind kind{[=](void* target, std::string_view option, const std::string& value) -> Status {
                      return read(*static_cast<Target*>(target), option, value);
                    },
                    typeid(Target), std::move(members)};
    for (const OptionMember& member : kind.members) check_type(member.target, typeid(Target));
    return kind;
  }

  /// This kind, which reads these words among others.
  OptionKind with_choices(std::vector<std::string> words) const;
  /// This kind, read once for each value in the order given.
  OptionKind repeated() const;

  static void check_type(std::type_index is, std::type_index wanted);

 private:
  template <class T>
  static OptionValue value_of(const T& meaning) {
    if constexpr (std::is_same_v<T, std::string>)
      return {.text = meaning};
    else if constexpr (requires { meaning.has_value(); })
      return meaning ? value_of(*meaning) : OptionValue{.text = {}, .is_none = true};
    else if constexpr (std::is_floating_point_v<T>)
      return {.real = meaning, .text = {}};
    else
      return {.whole = static_cast<std::uint64_t>(meaning), .text = {}};
  }
  static OptionKind choice_of(const OptionMember& member,
                              std::vector<std::pair<std::string, OptionValue>> words);
};

/// When an option is of use beside the others. Rows tell the first of their rules that is broken.
struct OptionRule {
  template <class Target>
  OptionRule(bool (*kept)(const Target&), std::string constraint)
      : OptionRule(of<Target>(kept, std::move(constraint))) {}
  /// Of a function that knows more.
  template <class Target>
  static OptionRule of(std::function<bool(const Target&)> kept, std::string constraint) {
    return OptionRule([=](const void* target) { return kept(*static_cast<const Target*>(target)); },
                      typeid(Target), std::move(constraint));
  }

  template <class Target>
  bool holds(const Target& of) const {
    return is_kept_in(&of, typeid(Target));
  }
  bool is_kept_in(const void* of, std::type_index type) const;

  std::function<bool(const void*)> is_kept;
  std::type_index target;
  std::string constraint;
  std::size_t part = 0;  ///< as OptionKind::part

 private:
  OptionRule(std::function<bool(const void*)> kept, std::type_index type, std::string text)
      : is_kept(std::move(kept)), target(type), constraint(std::move(text)) {}
};

/// What a row may say beside its name, sentence and kind.
struct OptionExtras {
  const char* example = "";  ///< where there is no default: for the configuration file, a line each
  std::vector<OptionRule> rules = std::vector<OptionRule>();
  Reload reload = Reload::kRestart;
  bool is_required = false;  ///< a command line without it is refused
};

struct OptionRow : OptionExtras {
  /// `option`: its name, what --help calls its value, and what holds where nothing is given, as one would
  /// write it: "budget K", "threads N = 0". A flag has its name alone.
  OptionRow(std::string_view option, std::string sentence, OptionKind kind, OptionExtras extras = {});
  OptionRow(std::string_view option, std::string sentence, OptionKind kind, std::string details,
            OptionExtras extras = {});

  std::string name;  ///< without dashes
  std::string value;
  std::string standard;  ///< empty: nothing, or what the sentence says
  std::string sentence;  ///< of --help
  std::string details;   ///< for the configuration file; empty: the sentence says enough
  OptionKind kind;

  /// The sentence, with the default where it does not say it.
  std::string described() const;

  template <class Target>
  Status read(Target& target, const std::string& text) const {
    return read_into(&target, typeid(Target), text);
  }
  /// Whether the option's members are the same in both.
  template <class Target>
  bool is_same(const Target& a, const Target& b) const {
    return are_same(&a, &b, typeid(Target));
  }
  template <class Target>
  void copy(Target& to, const Target& from) const {
    copy_members(&to, &from, typeid(Target));
  }
  /// The first rule that does not hold; nullptr: all do.
  template <class Target>
  const OptionRule* broken_rule(const Target& target) const {
    for (const OptionRule& rule : rules)
      if (!rule.holds(target)) return &rule;
    return nullptr;
  }

 private:
  Status read_into(void* target, std::type_index type, const std::string& text) const;
  bool are_same(const void* a, const void* b, std::type_index type) const;
  void copy_members(void* to, const void* from, std::type_index type) const;
};

/// A title of --help and of a configuration file, and what stands below it.
struct OptionSection {
  std::string title;
  std::vector<OptionRow> rows;
};

/// The row of a part, as a row of the whole that has the part at `place`: &Configuration::learner.
OptionRow of_part(OptionRow row, const OptionMember& place);
std::vector<OptionRow> of_part(std::vector<OptionRow> rows, const OptionMember& place);

/// The row of this name; nullptr: there is none.
const OptionRow* find_row(const std::vector<OptionRow>& rows, std::string_view name);

}  // namespace glimpse
