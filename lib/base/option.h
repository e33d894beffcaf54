#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/result.h"
#include "base/units.h"

namespace glimpse {

/// Rows of a program's table of options. A row is all that is said of an option: parsing, --help, the
/// configuration file, contradictions and what may change while running are derived from it. `Target` is the
/// struct that the options are read into; its own initial values are what holds where nothing is given.

/// What becomes of an option when a running program reads its configuration again.
enum class Reload : std::uint8_t {
  kRestart,    ///< another value waits for a restart
  kNow,        ///< another value holds at once
  kFile,       ///< the file that it names is read again; another name waits for a restart
  kNamedFile,  ///< the file that it names is read again, another one too; naming none waits for a restart
};

/// How the value of an option is read, kept and compared.
template <class Target>
struct OptionType {
  /// `value` into the target. The Error (kInvalidOption) names the option, the value and the constraint.
  std::function<Status(Target&, std::string_view option, const std::string& value)> read;
  std::function<bool(const Target&, const Target&)> same;
  std::function<void(Target&, const Target&)> copy;
  std::string accepts;                 ///< "a whole number from 1 to 1000"; empty: the sentence says it
  std::vector<std::string> choices{};  ///< words that a shell may offer; there may be other values
  bool is_flag = false;                ///< there or not; on, off or nothing in a file
  bool is_repeated = false;            ///< read() is called for each value in the order given
};

/// As `type`, which reads these words among others.
template <class Target>
OptionType<Target> with_choices(OptionType<Target> type, std::vector<std::string> words) {
  type.choices = std::move(words);
  return type;
}

/// When an option is of use beside the others. Rows tell the first of their rules that is broken.
template <class Target>
struct OptionRule {
  std::function<bool(const Target&)> holds;
  std::string constraint;
};

/// The rules of a row. A class of its own, as GCC 12 fails to compile a std::vector's default in a row.
template <class Target>
class OptionRules {
 public:
  OptionRules() noexcept {}
  OptionRules(std::initializer_list<OptionRule<Target>> rules) : rules_(rules) {}
  void add(OptionRule<Target> rule) { rules_.push_back(std::move(rule)); }
  auto begin() const { return rules_.begin(); }
  auto end() const { return rules_.end(); }

 private:
  std::vector<OptionRule<Target>> rules_;
};

/// A row of a table of options: all that the command line, --help and the configuration file know of one.
template <class Target>
struct Option {
  const char* name;           ///< without dashes
  const char* value = "";     ///< what --help calls the value; a flag has none
  std::string sentence;       ///< of --help
  const char* standard = "";  ///< what holds where nothing is given, as one would write it
  const char* example = "";   ///< where there is no `standard`: for the configuration file, a line each
  const char* details = "";   ///< for the configuration file; without any it stands below the row before
  OptionType<Target> type;
  OptionRules<Target> rules{};
  Reload reload = Reload::kRestart;
  bool is_required = false;  ///< of the laboratory and the generators: a command line without it is refused
};

/// A member of a target, or a member of a member: at(&Configuration::spending, &SpendingLimits::cost).
template <class Target, class T>
auto at(T Target::* member) {
  return [=](auto& target) -> auto& { return target.*member; };
}
template <class Target, class Part, class T>
auto at(Part Target::* part, T Part::* member) {
  return [=](auto& target) -> auto& { return target.*part.*member; };
}

/// The row of a part, as a row of the whole. `place` gives the part: at(&Configuration::learner).
template <class Target, class Part, class Place>
Option<Target> of_part(const Option<Part>& part, Place place) {
  Option<Target> row{.name = part.name,
                     .value = part.value,
                     .sentence = part.sentence,
                     .standard = part.standard,
                     .example = part.example,
                     .details = part.details,
                     .type = {},
                     .reload = part.reload,
                     .is_required = part.is_required};
  const OptionType<Part>& type = part.type;
  row.type.read = [place, read = type.read](Target& target, std::string_view name, const std::string& value) {
    return read(place(target), name, value);
  };
  row.type.same = [place, same = type.same](const Target& a, const Target& b) {
    return same(place(a), place(b));
  };
  row.type.copy = [place, copy = type.copy](Target& to, const Target& from) { copy(place(to), place(from)); };
  row.type.accepts = type.accepts;
  row.type.choices = type.choices;
  row.type.is_flag = type.is_flag;
  row.type.is_repeated = type.is_repeated;
  for (const OptionRule<Part>& rule : part.rules)
    row.rules.add({[place, holds = rule.holds](const Target& target) { return holds(place(target)); },
                   rule.constraint});
  return row;
}

namespace option_detail {

/// Type: T, or of std::optional<T> the T inside.
template <class T>
struct Inner {
  using Type = T;
};
template <class T>
struct Inner<std::optional<T>> {
  using Type = T;
};

// Of one or several members: they are compared and copied together.
template <class Target, class... Places>
OptionType<Target> of_members(std::function<Status(Target&, std::string_view, const std::string&)> read,
                              Places... places) {
  OptionType<Target> type;
  type.read = std::move(read);
  type.same = [=](const Target& a, const Target& b) { return ((places(a) == places(b)) && ...); };
  type.copy = [=](Target& to, const Target& from) { ((places(to) = places(from)), ...); };
  return type;
}

}  // namespace option_detail

/// The types of options of one target.
template <class Target>
struct OptionTypes {
  using Type = OptionType<Target>;

  /// What `parse(value, target)` reads into these members.
  template <class Parse, class... Places>
  static Type custom(Parse parse, Places... places) {
    return option_detail::of_members<Target>(
        [=](Target& target, std::string_view, const std::string& value) -> Status {
          return parse(value, target);
        },
        places...);
  }

  template <class Place>
  static Type whole(Place place, std::uint64_t lowest, std::uint64_t highest) {
    constexpr std::uint64_t kWorthSaying = 1000000000000;
    const std::string range = fmt::format("a whole number from {} to {}", lowest, highest);
    Type type = described(place, range, [=](std::string_view option, const std::string& text, auto& target) {
      const auto number = whole_text_as<std::uint64_t>(text);
      if (!number || *number < lowest || *number > highest)
        return Status(invalid_option(option, text, "must be " + range));
      target = static_cast<typename option_detail::Inner<std::remove_reference_t<decltype(target)>>::Type>(
          *number);
      return Status();
    });
    if (highest >= kWorthSaying) type.accepts = fmt::format("a whole number from {}", lowest);
    return type;
  }

  /// Above 0.
  template <class Place>
  static Type real(Place place) {
    return described(place, "a number above 0",
                     [](std::string_view option, const std::string& text, auto& target) {
                       const auto number = finite_number(text);
                       if (!number || *number <= 0)
                         return Status(invalid_option(option, text, "must be a number above 0"));
                       target = *number;
                       return Status();
                     });
  }

  template <class Place>
  static Type percent(Place place) {
    return described(
        place, "a whole number from 1% to 100%",
        [](std::string_view option, const std::string& text, auto& target) {
          std::string_view rest = text;
          const unsigned number = take_number<unsigned>(rest).value_or(0);
          if (rest != "%" || number < 1 || number > 100)
            return Status(invalid_option(option, text, "must be a whole number from 1% to 100%"));
          target = number;
          return Status();
        });
  }

  template <class Place>
  static Type duration(Place place) {
    return parsed(place, "a time: ms, s, m, h or d", parse_duration);
  }
  template <class Place>
  static Type bytes(Place place) {
    return parsed(place, "a size in bytes, KiB, MiB or GiB", parse_bytes);
  }

  /// What `parse(value)` makes of it: a Result whose message says what the value must be.
  template <class Place, class Parse>
  static Type parsed(Place place, std::string accepts, Parse parse) {
    return described(place, std::move(accepts),
                     [=](std::string_view option, const std::string& text, auto& target) {
                       const auto value = parse(text);
                       if (!value) return Status(invalid_option(option, text, value.error().message));
                       target = *value;
                       return Status();
                     });
  }

  /// Not empty.
  template <class Place>
  static Type text(Place place) {
    return described(place, "", [](std::string_view option, const std::string& text, auto& target) {
      if (text.empty()) return Status(invalid_option(option, "''", "must not be empty"));
      target = text;
      return Status();
    });
  }

  template <class Place>
  static Type texts(Place place) {
    Type type = described(place, "", [](std::string_view, const std::string& text, auto& target) {
      target.push_back(text);
      return Status();
    });
    type.is_repeated = true;
    return type;
  }

  template <class T, class Place>
  static Type choice(Place place, std::vector<std::pair<std::string, T>> choices) {
    std::string names;
    for (const auto& [word, meaning] : choices) names += (names.empty() ? "" : ", ") + word;
    Type type = described(place, "one of " + names,
                          [=](std::string_view option, const std::string& text, auto& target) {
                            for (const auto& [word, meaning] : choices)
                              if (word == text) {
                                target = meaning;
                                return Status();
                              }
                            return Status(invalid_option(option, text, "must be one of " + names));
                          });
    for (const auto& [word, meaning] : choices) type.choices.push_back(word);
    return type;
  }

  /// What `parse(value, target)` adds to the member, once for each value.
  template <class Parse, class Place>
  static Type repeated(Parse parse, Place place) {
    Type type = custom(parse, place);
    type.is_repeated = true;
    return type;
  }

  /// on or off, as words.
  template <class Place>
  static Type on_off(Place place) {
    Type type = choice<bool>(place, {{"on", true}, {"off", false}});
    type.accepts = "on or off";
    return type;
  }

  /// On the command line it is there or not.
  template <class Place>
  static Type flag(Place place) {
    Type type = described(place, "on or off", [](std::string_view, const std::string&, auto& target) {
      target = true;
      return Status();
    });
    type.is_flag = true;
    return type;
  }

 private:
  template <class Place, class Read>
  static Type described(Place place, std::string accepts, Read read) {
    Type type = option_detail::of_members<Target>(
        [=](Target& target, std::string_view option, const std::string& value) -> Status {
          return read(option, value, place(target));
        },
        place);
    type.accepts = std::move(accepts);
    return type;
  }
};

/// Whether a word of a command line, or a line of a configuration file, has one of the words that stand for
/// others in the messages of Boost.Program_options. 1.81 replaces them again and again, for ever, where what
/// it puts in their place, the name or value of an option, holds one itself.
inline bool holds_placeholder(std::string_view text) {
  constexpr std::array<std::string_view, 6> kPlaceholders{
      "%original_token%", "%canonical_option%", "%option%", "%value%", "%prefix%", "%invalid_line%"};
  return std::any_of(kPlaceholders.begin(), kPlaceholders.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace glimpse
