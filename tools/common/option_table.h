#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/core.h>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/result.h"
#include "common/command_line.h"
#include "common/output.h"

namespace glimpse {

/// The table of options of a generator or of a command of the laboratory. A row (base/option.h) is all that
/// is said of an option: its name, value, sentence and default, how its value is read and where it goes, and
/// what must hold beside it. Where an option is not given its row reads the row's own default. What the rows
/// read has a member `Status run()`:
///
///     OptionTable<Draw> table;
///     table.add({{.name = "seeds", .value = "N", .sentence = "runs", .standard = "1",
///                 .type = ToolTypes<Draw>::whole(at(&Draw::seeds), 1, 1000)}});
///     return run_program(argc, argv, {"draw", "Usage: draw [options]\n"}, table);

/// "--option is 'text'; it must be …"
Error wrong_value(std::string_view option, std::string_view text, std::string_view constraint);

/// A whole number within [lowest, highest].
Result<std::uint64_t> whole_number(std::string_view option, std::string_view text, std::uint64_t lowest,
                                   std::uint64_t highest);

/// From `lowest` to `highest`, with or without the lowest.
struct NumberRange {
  double lowest;
  double highest;
  bool is_open = false;  ///< above `lowest`
};

/// A finite number, within the range where one is given.
Result<double> number(std::string_view option, std::string_view text);
Result<double> number(std::string_view option, std::string_view text, NumberRange range);

/// The types of options of one target. `place` gives the member, as at(&Draw::seeds).
template <class Target>
struct ToolTypes {
  using Type = OptionType<Target>;

  /// What `read(target, option, text)` does. The message of its Error is the whole message.
  template <class Read>
  static Type set(Read read) {
    Type type;
    type.read = [=](Target& target, std::string_view option, const std::string& text) -> Status {
      return read(target, option, text);
    };
    return type;
  }

  /// What `parse(option, text)` makes of it, or `parse(text)` of those that know the option's name.
  template <class Place, class Parse>
  static Type parsed(Place place, Parse parse) {
    return set([=](Target& target, std::string_view option, const std::string& text) -> Status {
      auto value = [&] {
        if constexpr (std::is_invocable_v<Parse, std::string_view, const std::string&>)
          return parse(option, text);
        else
          return parse(text);
      }();
      if (!value) return value.error();
      auto& member = place(target);
      using Member = typename option_detail::Inner<std::remove_reference_t<decltype(member)>>::Type;
      member = static_cast<Member>(*std::move(value));
      return {};
    });
  }

  template <class Place>
  static Type whole(Place place, std::uint64_t lowest, std::uint64_t highest) {
    return parsed(place, [=](std::string_view option, const std::string& text) {
      return whole_number(option, text, lowest, highest);
    });
  }

  template <class Place>
  static Type real(Place place) {
    return parsed(place,
                  [](std::string_view option, const std::string& text) { return number(option, text); });
  }
  template <class Place>
  static Type real(Place place, NumberRange range) {
    return parsed(
        place, [=](std::string_view option, const std::string& text) { return number(option, text, range); });
  }

  template <class Place>
  static Type text(Place place) {
    return set([=](Target& target, std::string_view, const std::string& text) -> Status {
      place(target) = text;
      return {};
    });
  }

  /// As `type`, and it may be given several times; each is read.
  static Type repeated(Type type) {
    type.is_repeated = true;
    return type;
  }

  template <class Place>
  static Type flag(Place place) {
    Type type = set([=](Target& target, std::string_view, const std::string&) -> Status {
      place(target) = true;
      return {};
    });
    type.is_flag = true;
    return type;
  }

  /// As `type`, and the text is kept, for those who say how they were called.
  template <class Place>
  static Type with_text(Place place, Type type) {
    const auto read = type.read;
    type.read = [=](Target& target, std::string_view option, const std::string& text) -> Status {
      place(target) = text;
      return read(target, option, text);
    };
    return type;
  }
};

/// The options of one command, in the order in which --help lists them. Thread-safety: none.
template <class Target>
class OptionTable {
 public:
  /// Rows behind those that are there.
  OptionTable& add(const std::vector<Option<Target>>& rows) {
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    return *this;
  }
  /// The rows of a part of the target, which `place` gives: at(&Draw::data).
  template <class Part, class Place>
  OptionTable& add(const std::vector<Option<Part>>& rows, Place place) {
    for (const Option<Part>& row : rows) rows_.push_back(of_part<Target>(row, place));
    return *this;
  }

  /// What must hold beside the option `name`, which there must be.
  OptionTable& add_rule(std::string_view name, const OptionRule<Target>& rule) {
    const auto row =
        std::find_if(rows_.begin(), rows_.end(), [&](const Option<Target>& r) { return r.name == name; });
    if (row == rows_.end()) throw std::logic_error(fmt::format("no option {}", name));
    row->rules.add(rule);
    return *this;
  }

  const std::vector<Option<Target>>& rows() const { return rows_; }

  /// What is said of the options, for those who describe them.
  std::vector<BoundOption> described() const {
    std::vector<BoundOption> options;
    for (const Option<Target>& row : rows_) options.push_back(described(row));
    return options;
  }

  /// Reads a command line into `target`. See parse_command_line().
  Result<bool> parse(int argc, const char* const* argv, const ProgramText& text, Target& target) const {
    std::vector<BoundOption> options;
    for (const Option<Target>& row : rows_) options.push_back(bound(row, target));
    return parse_command_line(argc, argv, text, options);
  }

 private:
  static BoundOption bound(const Option<Target>& row, Target& target) {
    BoundOption option = described(row);
    option.read = [&](const std::string& text) { return row.type.read(target, row.name, text); };
    option.check = [&](const std::string& text) -> Status {
      for (const OptionRule<Target>& rule : row.rules)
        if (!rule.holds(target)) return invalid_option(row.name, text, rule.constraint);
      return {};
    };
    return option;
  }

  static BoundOption described(const Option<Target>& row) {
    return {.name = row.name,
            .value = row.value,
            .sentence = row.sentence,
            .choices = row.type.choices,
            .standard = row.standard,
            .is_flag = row.type.is_flag,
            .is_repeated = row.type.is_repeated,
            .is_required = row.is_required,
            .read = {},
            .check = {}};
  }

  std::vector<Option<Target>> rows_;
};

/// Reads the command line into `command`, runs that, and gives the exit status. Errors are one line on
/// standard error. A standard output that nobody reads does not end the process.
template <class Command>
int run_program(int argc, const char* const* argv, const ProgramText& text, const OptionTable<Command>& table,
                Command command = {}) {
  const auto parsed = table.parse(argc, argv, text, command);
  if (!parsed) return report(text.name, parsed.error());
  if (!*parsed) return 0;
  ignore_broken_pipes();
  const Status status = command.run();
  return status ? 0 : report(text.name, status.error());
}

/// What a program or command is, to run and to describe. `begin` makes what the options are read into, and
/// may take words off the arguments before that; without it a new one is taken. `text` must live on.
template <class Command>
ToolCommand tool_command(const ProgramText& text, const OptionTable<Command>& table,
                         std::function<Command(std::vector<const char*>& arguments)> begin = {}) {
  return {.text = text, .options = table.described(), .run = [=](int argc, const char* const* argv) {
            std::vector<const char*> rest(argv, argv + argc);
            Command command = begin ? begin(rest) : Command();
            return run_program(static_cast<int>(rest.size()), rest.data(), text, table, std::move(command));
          }};
}

}  // namespace glimpse
