// The first bytes of a connection, which come before any token: fed in growing prefixes, as a socket gives
// them. Once something is certain of a prefix, it is what holds of all.

#include <string>

#include "daemon/stream/greeting.h"
#include "data/text/text.h"
#include "fuzzing.h"
#include "shown.h"

namespace glimpse::greeting_fuzz {

using Scan = Result<GreetingScan>;
using Kind = GreetingScan::Kind;

bool is_unfinished(const Scan& scan) { return scan && scan->kind == Kind::kUnfinished; }

void require_same(const Greeting& a, const Greeting& b) {
  require(a.token == b.token && a.source == b.source && a.from == b.from);
}

void require_same(const Scan& a, const Scan& b) {
  require(a.has_value() == b.has_value());
  if (!a) return require(a.error().message == b.error().message);
  require(a->kind == b->kind && a->length == b->length);
  require_same(a->greeting, b->greeting);
}

// What says the same in other words.
std::string written(const Greeting& greeting) {
  std::string line(Greeting::kBeginning);
  line += "version=1 ";
  if (greeting.token) line += "token=" + *greeting.token + " ";
  if (greeting.from) line += "from=" + std::to_string(*greeting.from) + "  ";
  if (!greeting.source.empty()) line += "source=" + greeting.source;
  return line + "\n";
}

void require_sound(const Scan& scan, std::string_view bytes) {
  if (!scan) {
    require(scan.error().code == ErrorCode::kInvalidInput && !scan.error().message.empty());
    require_shown(scan.error().message);
    return;
  }
  if (scan->kind == Kind::kUnfinished) require(bytes.size() < Greeting::kMostBytes);
  if (scan->kind != Kind::kWhole) return require(scan->length == 0);
  require(scan->length <= bytes.size() && scan->length <= Greeting::kMostBytes);
  require(bytes.starts_with(Greeting::kBeginning) && bytes.find('\n') == scan->length - 1);
  const Greeting& greeting = scan->greeting;
  require(!greeting.from || !greeting.source.empty());
  if (!greeting.source.empty()) require(check_source_name("source", greeting.source).has_value());
  const std::string again = written(greeting);
  if (again.size() > Greeting::kMostBytes) return;
  const Scan second = scan_greeting(again);
  require(second.has_value() && second->kind == Kind::kWhole);
  require_same(second->greeting, greeting);
}

const Fuzzer fuzzer("greeting", [](Input input) {
  const std::string_view whole = input.rest();
  const Scan of_whole = scan_greeting(whole);
  require_sound(of_whole, whole);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Exact prefix(whole.substr(0, length));
    const Scan scan = scan_greeting(prefix.view());
    if (length == 0 || is_unfinished(of_whole)) require(is_unfinished(scan));
    if (is_unfinished(scan)) {
      require(length < Greeting::kMostBytes);
    } else {
      require_same(scan, of_whole);
    }
  }
});

}  // namespace glimpse::greeting_fuzz
