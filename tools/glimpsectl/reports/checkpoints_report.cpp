#include "glimpsectl/reports/checkpoints_report.h"

#include <cmath>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <boost/json/array.hpp>

#include "glimpsectl/format/fields.h"
#include "glimpsectl/format/table.h"
#include "glimpsectl/format/units.h"
#include "json/json_arrays.h"

namespace glimpse::ctl {

namespace {

constexpr double kLastSecond = 253402300799;  // of the year 9999

std::string time_of(double seconds) {
  if (!(seconds >= 0 && seconds <= kLastSecond)) return std::string(kAbsent);
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if (::gmtime_r(&whole, &parts) == nullptr) return std::string(kAbsent);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", parts);
}

std::string text_of(const boost::json::object& row, std::string_view name) {
  const auto* value = row.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string(kAbsent);
}

std::string number_of(const boost::json::object& row, const std::string& name,
                      std::string (*show)(double value)) {
  const auto number = number_in(row, name);
  return number ? show(*number) : std::string(kAbsent);
}

}  // namespace

Result<std::string> checkpoints_report(std::string_view body) {
  GLIMPSE_TRY_ASSIGN(const auto object, parse_object(body));
  const auto* listed = object.if_contains("checkpoints");
  if (listed == nullptr || !listed->is_array())
    return failure(ErrorCode::kCorrupt, "it has no list 'checkpoints'");
  Table table({{"checkpoint", true}, {"examples", false}, {"size", false}, {"written", true}});
  for (const auto& one : listed->get_array()) {
    if (!one.is_object()) return failure(ErrorCode::kCorrupt, "an element of 'checkpoints' is not an object");
    const auto& row = one.get_object();
    table.add({text_of(row, "name"), number_of(row, "examples", readable_number),
               number_of(row, "bytes", readable_bytes), number_of(row, "written_at", time_of)});
  }
  return table.text();
}

}  // namespace glimpse::ctl
