#include "data/records/cell.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr unsigned bit(NumberForm form) { return 1U << static_cast<unsigned>(form); }

constexpr std::array<std::string_view, 10> kCellBlanks{" ",
                                                       "\xc2\xa0",
                                                       "\xe2\x80\xaf",
                                                       "\xe2\x80\x89",
                                                       "\xe2\x80\x88",
                                                       "\xe2\x80\x87",
                                                       "\xe2\x80\x86",
                                                       "\xe2\x80\x85",
                                                       "\xe2\x80\x8a",
                                                       "\t"};
constexpr std::array<std::string_view, 3> kMinuses{"-", "\xe2\x88\x92", "\xe2\x80\x93"};
constexpr double kDay = 86400;  // seconds
constexpr std::size_t kLongestNumber = 48;
constexpr std::size_t kLongestUnit = 12;

// The length of the blank in front of `text`; 0: there is none.
std::size_t blank_length(std::string_view text) {
  for (const std::string_view blank : kCellBlanks)
    if (text.starts_with(blank)) return blank.size();
  return 0;
}

std::string_view without_blanks(std::string_view text) {
  const auto is_visible = [](char c) { return c > ' ' && c < 0x7f; };
  if (!text.empty() && is_visible(text.front()) && is_visible(text.back())) return text;  // as most
  while (const std::size_t length = blank_length(text)) text.remove_prefix(length);
  for (bool was_cut = true; was_cut;) {
    was_cut = false;
    for (const std::string_view blank : kCellBlanks)
      if (text.ends_with(blank)) {
        text.remove_suffix(blank.size());
        was_cut = true;
      }
  }
  return text;
}

bool take_sign(std::string_view& text, bool& is_negative) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    return true;
  }
  for (const std::string_view minus : kMinuses)
    if (text.starts_with(minus)) {
      text.remove_prefix(minus.size());
      return is_negative = true;
    }
  return false;
}

// Digits in groups of `least` to three behind the first, which has one to three, the last of three, divided
// by what `divider` takes off the front; behind them `point` and digits, or nothing.
template <class Divider>
bool is_grouped(std::string_view text, const Divider& divider, char point, std::size_t least = 3) {
  const auto digits = [&] {
    std::size_t count = 0;
    while (count < text.size() && is_digit(text[count])) ++count;
    text.remove_prefix(count);
    return count;
  };
  if (text.starts_with('0')) return false;
  const std::size_t first = digits();
  if (first == 0 || first > 3 || !divider(text)) return false;
  std::size_t last = 0;
  do {
    last = digits();
    if (last < least || last > 3) return false;
  } while (divider(text));
  if (last != 3) return false;
  if (text.starts_with(point)) {
    text.remove_prefix(1);
    digits();
  }
  return text.empty();
}

auto is_divided_by(char divider) {
  return [divider](std::string_view& rest) {
    if (!rest.starts_with(divider)) return false;
    rest.remove_prefix(1);
    return true;
  };
}

// Of what read_number() reads, without its sign.
unsigned forms_of_plain(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos)
    return text.find_first_not_of("0123456789") == std::string_view::npos ? kAllForms
                                                                          : bit(NumberForm::kPlain);
  // 1.234 may be a thousand and more.
  const bool may_be_groups =
      text[0] != '0' && point > 0 && point < 4 && text.size() == point + 4 && is_digit(text.back());
  return bit(NumberForm::kPlain) | bit(NumberForm::kCommaGroups) | bit(NumberForm::kBlankGroups) |
         bit(NumberForm::kApostropheGroups) | bit(NumberForm::kFortran) |
         (may_be_groups ? bit(NumberForm::kPointGroups) : 0);
}

// Of a number without its sign.
unsigned forms_of(std::string_view text) {
  if (text.empty() || text.size() > kLongestNumber) return 0;
  double value = 0;
  const char first = text.front();
  if (!is_digit(first) && first != '.' && first != ',') return 0;
  if (read_number(text, value)) return forms_of_plain(text);
  unsigned forms = 0;
  const auto blank = [](std::string_view& rest) {
    const std::size_t length = blank_length(rest);
    rest.remove_prefix(length);
    return length > 0;
  };
  if (text.find(',') != std::string_view::npos) {
    if (read_cell(text, true, value)) forms |= bit(NumberForm::kDecimalComma);
    if (is_grouped(text, is_divided_by(','), '.')) forms |= bit(NumberForm::kCommaGroups);
  }
  if (is_grouped(text, is_divided_by('.'), ',')) forms |= bit(NumberForm::kPointGroups);
  if ((forms & bit(NumberForm::kDecimalComma)) != 0)
    forms |= bit(NumberForm::kPointGroups) | bit(NumberForm::kBlankGroupsDecimalComma);
  if (forms != 0) return forms;
  if (is_grouped(text, blank, '.')) forms |= bit(NumberForm::kBlankGroups);
  if (is_grouped(text, blank, ',')) forms |= bit(NumberForm::kBlankGroupsDecimalComma);
  const auto apostrophe = [](std::string_view& rest) {
    for (const std::string_view mark : {std::string_view("'"), std::string_view("\xe2\x80\x99")})
      if (rest.starts_with(mark)) {
        rest.remove_prefix(mark.size());
        return true;
      }
    return false;
  };
  if (is_grouped(text, apostrophe, '.')) forms |= bit(NumberForm::kApostropheGroups);
  const std::size_t exponent = text.find_first_of("dD");
  if (forms == 0 && exponent != std::string_view::npos) {
    std::string copy(text);
    copy[exponent] = 'e';
    if (read_number(copy, value)) forms |= bit(NumberForm::kFortran);
  }
  return forms;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

// What may stand in front of a number: signs of money, or letters of one, without digits.
bool is_currency(std::string_view text) {
  if (text.size() > 1 && text.ends_with('.')) text.remove_suffix(1);
  if (text.empty() || text.size() > 5) return false;
  constexpr std::string_view kCodes =  // of ISO 4217, without words as ALL and TOP
      " AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KES KRW KZT "
      "MXN MYR NGN NOK NZD PHP PKR PLN QAR RMB RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD UYU VND ZAR "
      "kr Rs Rp Fr RM z\u0142 K\u010d \u00a3 \u00a5 \u00a2 \uffe5 \uffe1 ";
  if (kCodes.find(fmt::format(" {} ", text)) != std::string_view::npos) return true;
  if (text.ends_with('$'))
    return text.size() < 5 && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == text.size() - 1;
  return text.size() == 3 && text >= "\u20a0" && text <= "\u20cf";  // Unicode's block of them
}

// kg, km/h, °C, %, m², €: letters and signs, no digits in front, no punctuation of text.
bool is_unit(std::string_view text) {
  if (text.empty() || text.size() > kLongestUnit) return false;
  if (text == "%" || (text.ends_with('$') && is_currency(text))) return true;
  if (!is_letter(text.front()) && !is_beyond_ascii(text.front())) return false;
  std::size_t blanks = 0;
  for (const char c : text) {
    if (c == ' ') ++blanks;
    const bool may_be = is_letter(c) || is_beyond_ascii(c) || is_digit(c) || c == '/' || c == '^' ||
                        c == ' ' || c == '%' || c == '.';
    if (!may_be) return false;
  }
  return blanks == 0 || (blanks == 1 && std::ranges::none_of(text, is_digit));  // no address
}

// 1 to 12 of a name or abbreviation in seven languages of Europe, or 0.
unsigned month_of(std::string_view word) {
  constexpr std::array<std::string_view, 12> kMonths{
      " jan january januar j\u00e4nner janv janvier ene enero gen gennaio januari janeiro ",
      " feb february februar f\u00e9vr f\u00e9v f\u00e9vrier febrero febbraio februari fev fevereiro ",
      " mar march m\u00e4r m\u00e4rz mrz mars marzo maart mrt mar\u00e7o ",
      " apr april avr avril abr abril aprile ",
      " may mai mayo mag maggio mei maio ",
      " jun june juni juin junio giu giugno junho ",
      " jul july juli juil juillet julio lug luglio julho ",
      " aug august ao\u00fbt ago agosto augustus ",
      " sep sept september septembre septiembre set settembre setembro ",
      " oct october okt oktober octobre octubre ott ottobre out outubro ",
      " nov november novembre noviembre novembro ",
      " dec december dez dezember d\u00e9c d\u00e9cembre dic diciembre dicembre dezembro "};
  if (word.size() < 3 || word.size() > 10) return 0;
  std::string lower(" ");
  for (const char c : word) lower += static_cast<char>(is_letter(c) ? c | 0x20 : c);
  lower += ' ';
  const auto has_it = [&](std::string_view names) { return names.find(lower) != names.npos; };
  const auto month = static_cast<unsigned>(std::ranges::find_if(kMonths, has_it) - kMonths.begin());
  return month < kMonths.size() ? month + 1 : 0;
}

unsigned whole(std::string_view digits) {
  unsigned value = 0;
  for (const char c : digits) value = 10 * value + static_cast<unsigned>(c - '0');
  return value;
}

// 12:30, 12:30:05, 12:30:05.250, 12.30.05, with a zone, AM, p. m. or +01:00 behind, in seconds of UTC.
bool is_time(std::string_view text, double& seconds) {
  const char divider = text.size() == 8 && text[2] == '.' ? '.' : ':';
  std::size_t parts = 0;
  double unit = 3600;
  seconds = 0;
  while (parts < 3) {
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) ++digits;
    // 2:1 is a score, and 3:61 a ratio.
    if (digits == 0 || digits > 2 || (parts > 0 && (digits < 2 || text[0] > '5'))) return false;
    ++parts;
    seconds += unit * whole(text.substr(0, digits));
    unit /= 60;
    text.remove_prefix(digits);
    if (!text.starts_with(divider)) break;
    text.remove_prefix(1);
    if (text.empty()) return false;
  }
  if (parts < 2 || (divider == '.' && seconds >= kDay)) return false;
  if (parts == 3 && (text.starts_with('.') || text.starts_with(','))) {
    std::size_t end = 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    double fraction = 0;
    if (read_cell(text.substr(0, end), text.front() == ',', fraction)) seconds += fraction;
    text.remove_prefix(end);
  }
  std::string rest;  // "pm" of " p. m."
  while (!text.empty()) {
    const std::size_t blank = blank_length(text);
    if (blank == 0 && text.front() != '.') rest += text.front();
    text.remove_prefix(std::max<std::size_t>(blank, 1));
  }
  if (rest.empty()) return true;
  constexpr std::pair<std::string_view, int> kZones[] = {
      // hours to the east
      {"Z", 0},    {"z", 0},    {"UTC", 0},  {"GMT", 0},  {"WET", 0},  {"CET", 1},
      {"BST", 1},  {"EET", 2},  {"CEST", 2}, {"EEST", 3}, {"JST", 9},  {"EST", -5},
      {"CDT", -5}, {"EDT", -4}, {"MST", -7}, {"MDT", -6}, {"PST", -8}, {"PDT", -7}};
  for (const auto& [zone, east] : kZones)
    if (rest == zone) {
      seconds -= 3600.0 * east;
      return true;
    }
  if (rest.size() == 2 && (rest[1] | 0x20) == 'm') {
    const char half = static_cast<char>(rest[0] | 0x20);
    seconds = std::fmod(seconds, kDay / 2) + (half == 'p' ? kDay / 2 : 0);
    return half == 'a' || half == 'p';
  }
  if (rest.front() != '+' && rest.front() != '-') return false;
  std::string offset = rest.substr(1);
  std::erase(offset, ':');
  if (offset.size() == 2) offset += "00";
  if (offset.size() != 4 || !std::ranges::all_of(offset, is_digit)) return false;
  const std::string_view digits = offset;
  const double east = 3600.0 * whole(digits.substr(0, 2)) + 60.0 * whole(digits.substr(2));
  seconds -= rest.front() == '+' ? east : -east;
  return true;
}

struct Date {
  std::array<unsigned, 3> parts{};      // in the order in which they stand
  std::array<std::size_t, 3> digits{};  // of each; 0: it is the name of a month
  char divider = 0;
  double seconds = 0;  // of the day
};

// 2026-11-24, 24.12.2026, 7/4/26, 20 Jan 2026, Jan 20, 2026, 2. Januar 2026, 02JAN2026, 20260102T170000Z,
// each with a time behind or not, and 2026-01; whether or not the calendar has it.
bool split_date(std::string_view text, Date& date) {
  if (text.size() < 6 || text.size() > 40) return false;
  if (text.size() > 12 && text[8] == 'T' && std::ranges::all_of(text.substr(0, 8), is_digit)) {
    const std::string_view rest = text.substr(13);
    return split_date(fmt::format("{}-{}-{}T{}:{}{}{}", text.substr(0, 4), text.substr(4, 2),
                                  text.substr(6, 2), text.substr(9, 2), text.substr(11, 2),
                                  !rest.empty() && is_digit(rest[0]) ? ":" : "", rest),
                      date);
  }
  constexpr std::array<std::string_view, 3> kSigns{"\u5e74", "\u6708", "\u65e5"};  // of Chinese and Japanese
  auto& [parts, digits, divider, seconds] = date;
  std::size_t months = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const bool is_number = !text.empty() && is_digit(text.front());
    std::size_t length = 0;
    while (length < text.size() && is_number == is_digit(text[length]) &&
           (is_number || is_letter(text[length]) || is_beyond_ascii(text[length])))
      ++length;
    if (is_number && (length > 4 || length == 3)) return false;
    const std::string_view part = text.substr(0, length);
    parts[i] = is_number ? whole(part) : month_of(part);
    digits[i] = is_number ? length : 0;
    if (!is_number && (parts[i] == 0 || ++months > 1)) return false;
    text.remove_prefix(length);
    if (is_number && text.starts_with(kSigns[i])) {
      text.remove_prefix(kSigns[i].size());
      divider = 'Y';
      continue;
    }
    if (i == 2) break;
    if (text.empty() && i == 1 && digits[0] == 4 && digits[1] == 2 && (divider == '-' || divider == '/')) {
      parts[2] = digits[2] = 1;
      return parts[0] > 1800 && parts[0] < 2200;
    }
    if (text.starts_with(", ") || text.starts_with(". ")) text.remove_prefix(1);
    if (text.empty()) return false;
    const char c = text.front();
    if (divider == 0 && (i == 0 ? is_letter(c) : is_digit(c))) continue;
    if (c != '-' && c != '/' && c != '.' && c != ' ') return false;
    if (c == ' ' && months == 0 && i > 0) return false;
    if (divider != 0 && c != divider && months == 0) return false;
    divider = c;
    text.remove_prefix(1);
  }
  if (months == 0) {
    const bool is_year_first = digits[0] == 4;
    if (digits[1] > 2 || (is_year_first && digits[2] > 2)) return false;
    if (divider == '.' && !is_year_first && digits[2] != 4 && digits[2] != 2) return false;
  }
  if (divider == 0 && digits[2] != 4) return false;
  if (divider == '.' && text.starts_with('.')) text.remove_prefix(1);
  if (text.empty()) return true;
  if (std::string_view(divider == 0 ? "T ,:" : "T ,").find(text.front()) == std::string_view::npos)
    return false;
  return is_time(trimmed(text.substr(1)), seconds);
}

// By one of the orders of Days; NaN: the calendar does not have it.
double days_of(const Date& date, std::size_t order) {
  const auto& [parts, digits, divider, seconds] = date;
  const bool has_word = std::ranges::find(digits, 0) != digits.end();
  const bool is_short = !has_word && divider != '.' && std::ranges::max(digits) == 2;
  const std::size_t year = digits[0] == 4 || (order == Days::kYearFirst && is_short) ? 0 : 2;
  const std::size_t first = year == 0 ? 1 : 0;  // of the other two
  const bool begins_with_day =
      has_word ? digits[first] > 0 : year == 2 && (order == Days::kDayFirst || divider == '.');
  if (digits[year] < 2) return std::nan("");
  const unsigned century = digits[year] > 2 ? 0 : parts[year] < 69 ? 2000 : 1900;
  const std::chrono::year_month_day calendar(std::chrono::year(static_cast<int>(parts[year] + century)),
                                             std::chrono::month(parts[begins_with_day ? first + 1 : first]),
                                             std::chrono::day(parts[begins_with_day ? first : first + 1]));
  if (!calendar.ok()) return std::nan("");
  const auto since = std::chrono::sys_days(calendar).time_since_epoch().count();
  return (static_cast<double>(since) * kDay + seconds) / kDay;
}

}  // namespace

Days read_days(std::string_view text) {
  text = without_blanks(text);
  Days days;
  Date date;
  const bool is_shaped = split_date(text, date);
  days.has_order =
      date.divider != '.' && date.digits[0] < 3 && std::ranges::find(date.digits, 0) == date.digits.end();
  for (std::size_t order = 0; order < days.by_order.size(); ++order) {
    days.by_order[order] = is_shaped ? days_of(date, order) : std::nan("");
    if (!std::isnan(days.by_order[order])) days.type = CellType::kDate;
  }
  if (days.type == CellType::kDate || !is_time(text, date.seconds)) return days;
  days.by_order.fill(date.seconds / kDay);
  days.type = CellType::kTime;
  return days;
}

namespace {

constexpr std::array<std::string_view, kNumberForms> kFormNames{"plain",
                                                                "decimal-comma",
                                                                "comma-groups",
                                                                "point-groups",
                                                                "blank-groups",
                                                                "blank-groups-decimal-comma",
                                                                "apostrophe-groups",
                                                                "fortran"};

}  // namespace

std::string_view name_of(NumberForm form) { return kFormNames[static_cast<std::size_t>(form)]; }

NumberForm number_form_of(std::string_view name) {
  const auto found = std::ranges::find(kFormNames, name);
  return found != kFormNames.end() ? static_cast<NumberForm>(found - kFormNames.begin()) : NumberForm::kPlain;
}

bool is_missing_cell(std::string_view field) {
  constexpr std::size_t kLongest = 4;
  if (field.size() > kLongest) return false;
  constexpr std::array<std::string_view, 12> kMissing{"",   "NA",  "?",    "N/A",  "null", "NULL",
                                                      "na", "n/a", "#N/A", "<NA>", "-",    "."};
  return std::find(kMissing.begin(), kMissing.end(), field) != kMissing.end();
}

bool is_not_finite_cell(std::string_view field) {
  constexpr std::array<std::string_view, 6> kErrors{"#DIV/0!", "#VALUE!", "#REF!",
                                                    "#NUM!",   "#NAME?",  "#NULL!"};
  if (field.starts_with('#')) return std::ranges::find(kErrors, field) != kErrors.end();
  if (!field.empty() && (field.front() == '-' || field.front() == '+')) field.remove_prefix(1);
  if (field.empty()) return false;
  if (is_letter(field.front())) {
    std::string lower;
    for (const char c : field.substr(0, 9))
      lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower == "nan" || lower == "inf" || lower == "infinity";
  }
  constexpr std::size_t kLeastDigits = 300;  // of a number beyond the doubles without an exponent
  if ((field.size() < kLeastDigits && field.find_first_of("eE") == std::string_view::npos) ||
      field.find_first_not_of("0123456789.eE+-") != std::string_view::npos)
    return false;
  const std::string text(field);
  char* end = nullptr;
  return std::isinf(std::strtod(text.c_str(), &end)) && *end == '\0';
}

bool read_cell(std::string_view field, bool decimal_comma, double& value) {
  if (!decimal_comma) return read_number(field, value);
  if (field.find('.') != std::string_view::npos) return false;
  const std::size_t comma = field.find(',');
  if (comma == std::string_view::npos) return read_number(field, value);
  std::string point(field);
  point[comma] = '.';
  return read_number(point, value);
}

bool is_mark(std::string_view cell, std::span<const std::string> marks) {
  double value = 0;
  double mark = 0;
  return std::ranges::any_of(marks, [&](const std::string& text) {
    return text == cell || (read_number(text, mark) && read_number(cell, value) && value == mark);
  });
}

std::vector<std::string> marks_of(std::span<const std::string> given, std::string_view name,
                                  std::size_t number) {
  std::vector<std::string> marks;
  for (const std::string& text : given) {
    const std::size_t end = text.rfind('=');
    const std::string column = text.substr(0, end);
    if (end == std::string::npos)
      marks.push_back(text);
    else if ((!name.empty() && column == name) || column == fmt::format("#{}", number))
      marks.push_back(text.substr(end + 1));
  }
  return marks;
}

namespace {

// read_number() of digits alone, few enough to be exact.
bool read_digits(std::string_view text, double& value) {
  if (text.size() > 15) return false;
  std::uint64_t number = 0;
  for (const char c : text) {
    if (!is_digit(c)) return false;
    number = 10 * number + static_cast<std::uint64_t>(c - '0');
  }
  value = static_cast<double>(number);
  return true;
}

}  // namespace

Cell classify_cell(std::string_view text) {
  Cell cell;
  if (text.empty()) return cell;
  const bool may_have_blanks = static_cast<unsigned char>(text.front()) >= 0x80 ||
                               static_cast<unsigned char>(text.back()) >= 0x80 || is_blank(text.front()) ||
                               is_blank(text.back());
  if (may_have_blanks) text = without_blanks(text);
  if (text.empty()) return cell;
  const bool may_be_plain =
      is_digit(text.front()) || text.front() == '-' || text.front() == '.' || text.front() == '+';
  const bool is_of_digits = may_be_plain && read_digits(text, cell.value);
  if (is_of_digits || (may_be_plain && read_number(text, cell.value))) {
    cell.type = CellType::kNumber;
    if (!is_of_digits) take_sign(text, cell.is_negative);
    cell.number = text;
    cell.forms = is_of_digits ? kAllForms : forms_of_plain(text);
    cell.is_bare = cell.is_plain = true;
    return cell;
  }
  if (is_missing_cell(text) || is_missing_number(text)) {
    cell.type = CellType::kMissing;
    return cell;
  }
  cell.type = CellType::kWord;
  if (text.size() > kLongestNumber) return cell;
  const bool has_digit = std::ranges::any_of(text, is_digit);
  if (is_not_finite_cell(text)) {
    cell.type = CellType::kNotFinite;
    return cell;
  }
  if (!has_digit) {
    if (truth_value(text)) cell.type = CellType::kBool;
    return cell;
  }
  cell.days = read_days(text);
  cell.type = cell.days.type;
  if (cell.type != CellType::kWord) return cell;
  std::string_view core = text;
  const bool was_signed = take_sign(core, cell.is_negative);
  if (core.size() > 2 && core[0] == '0' && (core[1] | 0x20) == 'x') return cell;  // of base 16
  core = without_blanks(core);
  if (core.size() > 2 && core.front() == '(' && core.back() == ')' && !was_signed) {
    cell.is_parenthesised = true;
    core = without_blanks(core.substr(1, core.size() - 2));
  }
  std::size_t begin = core.find_first_of("0123456789.,");
  if (begin != 0 && begin < core.size() && core[begin] == '.' && is_letter(core[begin - 1]))
    begin = core.find_first_of("0123456789,", begin);  // Rs.5
  const std::size_t last = core.find_last_of("0123456789");
  if (begin == std::string_view::npos || last == std::string_view::npos || last < begin) return cell;
  std::string_view prefix = without_blanks(core.substr(0, begin));
  if (prefix.size() > 1 && prefix.ends_with('-') && !was_signed) {  // $-5
    cell.is_negative = true;
    prefix = without_blanks(prefix.substr(0, prefix.size() - 1));
  }
  if (!prefix.empty()) {
    if (!is_currency(prefix)) return cell;
    cell.prefix = prefix;
    core = core.substr(begin);
    take_sign(core, cell.is_negative);
  }
  cell.number = core;
  unsigned forms = forms_of(core);
  if (forms == 0) {
    // The number ends before the unit: 12 km/h, 5m2.
    std::size_t end = 0;
    while (end < core.size() &&
           (is_digit(core[end]) || core[end] == '.' || core[end] == ',' || core[end] == '\'' ||
            (blank_length(core.substr(end)) > 0 && end + 1 < core.size() &&
             is_digit(core[end + blank_length(core.substr(end))]))))
      end += std::max<std::size_t>(1, blank_length(core.substr(end)));
    const std::string_view suffix = without_blanks(core.substr(end));
    cell.number = without_blanks(core.substr(0, end));
    forms = forms_of(cell.number);
    if (forms == 0 || !is_unit(suffix)) return cell;
    cell.suffix = suffix;
  }
  cell.type = CellType::kNumber;
  cell.forms = forms;
  cell.is_bare = cell.prefix.empty() && cell.suffix.empty() && !cell.is_parenthesised;
  return cell;
}

bool append_in_form(std::string_view text, const ColumnForm& form, std::string& to) {
  if (form.type == ColumnForm::Type::kWord) return false;
  if (form.holds_days()) {
    double number = 0;
    if (!read_in_form(text, form, number)) return false;
    fmt::format_to(std::back_inserter(to), "{}", number);
    return true;
  }
  const Cell cell = classify_cell(text);
  const auto is_not_its_unit = [&](std::string_view beside) {
    return !beside.empty() && beside != form.unit;
  };
  if (cell.type != CellType::kNumber || is_not_its_unit(cell.prefix) || is_not_its_unit(cell.suffix))
    return false;
  // 1e3 is a number in every form.
  const bool is_without_point = cell.is_plain && cell.number.find('.') == std::string_view::npos;
  const bool is_plain = cell.is_plain && form.form == NumberForm::kFortran;
  if (!reads(cell, form.form) && !is_without_point && !is_plain) return false;
  const bool has_comma = form.form == NumberForm::kDecimalComma || form.form == NumberForm::kPointGroups ||
                         form.form == NumberForm::kBlankGroupsDecimalComma;
  if (cell.is_negative || cell.is_parenthesised) to += '-';
  for (const char c : cell.number) {
    if (is_digit(c) || c == 'e' || c == 'E' || c == '-' || c == '+')
      to += c;
    else if (c == 'd' || c == 'D')
      to += 'e';
    else if (c == (has_comma ? ',' : '.'))
      to += '.';
  }
  return true;
}

bool read_in_form(std::string_view text, const ColumnForm& form, double& value) {
  if (form.type == ColumnForm::Type::kDate) {
    Date date;
    if (!split_date(without_blanks(text), date)) return false;
    value = days_of(date, Days::order_of(form.is_day_first, form.is_year_first));
    return !std::isnan(value);
  }
  if (form.type == ColumnForm::Type::kTime) {
    const Days days = read_days(text);
    value = days.by_order[0];
    return days.type == CellType::kTime;
  }
  std::string number;
  return append_in_form(text, form, number) && read_number(number, value);
}

bool is_missing_number(std::string_view word) {
  constexpr std::array<std::string_view, 11> kMissing{"#NA", "nan", "NaN", "NAN",  "None", "none",
                                                      "NaT", "\\N", "--",  "n.a.", "N.A."};
  return word.size() <= 4 && std::ranges::find(kMissing, word) != kMissing.end();
}

std::optional<double> truth_value(std::string_view word) {
  for (const auto& [yes, no] : {std::pair("true", "false"), {"True", "False"}, {"TRUE", "FALSE"}})
    if (word == yes || word == no) return word == yes ? 1 : 0;
  return std::nullopt;
}

bool looks_like_date(std::string_view word) {
  const CellType type = classify_cell(word).type;
  return type == CellType::kDate || type == CellType::kTime;
}

bool looks_like_odd_number(std::string_view word) {
  const bool is_formula = word.size() > 3 && word.starts_with("=\"") && word.ends_with('"');
  const bool is_quoted = word.size() > 2 && word.starts_with('\'') && word.ends_with('\'');
  if (is_formula || is_quoted) word = word.substr(is_formula ? 2 : 1, word.size() - (is_formula ? 3 : 2));
  std::string plain(word.ends_with('-') ? word.substr(0, word.size() - 1) : word);  // 1,234- of accountants
  std::ranges::replace(plain, '_', ' ');
  bool is_negative = false;
  std::string_view digits = plain;
  take_sign(digits, is_negative);
  if (digits.starts_with("0x") || digits.starts_with("0X"))
    return digits.size() > 2 && digits.find_first_not_of("0123456789abcdefABCDEF", 2) == digits.npos;
  const Cell cell = classify_cell(plain);
  if (cell.type != CellType::kNumber) return is_grouped(digits, is_divided_by(','), '.', 2);  // 12,34,567
  const auto is_letters = [](std::string_view mark) { return !mark.empty() && is_letter(mark.front()); };
  const bool is_word = is_letters(cell.prefix) || is_letters(cell.suffix);  // USD 5, 5th
  const bool has_mark = !cell.prefix.empty() || cell.suffix == "%" || is_currency(cell.suffix);
  if (is_word || !is_digit(cell.number.front()) || !is_digit(cell.number.back())) return false;
  return has_mark || is_formula || is_quoted || !(cell.is_plain || cell.is_parenthesised) ||
         (cell.forms != kAllForms && cell.forms != bit(NumberForm::kFortran));
}

std::string odd_number_advice(std::string_view called, std::string_view word) {
  return fmt::format(
      "{0} holds numbers that are written in another way, as {1}: 1234.5 is one, and 1234,5 with "
      "--decimal-comma; --categories{2} takes them as words, --ignore{2} leaves them out",
      in_quotes(called), in_quotes(word), as_argument(called));
}

std::string odd_label_advice(std::string_view word) {
  return fmt::format(
      "label {} is a number that is written in another way: 1234.5 is one, and in tables 1234,5 with "
      "--decimal-comma",
      in_quotes(word));
}

}  // namespace glimpse
