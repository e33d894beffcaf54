// The file of --costs.

#include "fuzzing.h"
#include "learn/options/prices.h"

namespace glimpse::prices_fuzz {

const Fuzzer fuzzer("prices", [](Input input) {
  static const AttributeNames names = [] {
    AttributeNames fixed(4);
    require(fixed.fix({"age", "sex"}).has_value());
    return fixed;
  }();
  const std::string_view text = input.rest();
  const auto prices = parse_prices(text, 4, names);
  if (prices) {
    Bill bill(*prices);
    const Attribute all[] = {0, 1, 2, 3};
    Money alone = 0;
    for (const Attribute i : all) alone = add_money(alone, prices->alone(i));
    require(bill.of(all) <= alone);
  } else {
    require(!prices.error().message.empty());
  }
  if (const auto amount = parse_money(text)) {
    const auto again = parse_money(format_money(*amount));
    require(again && *again == *amount);
  }
});

}  // namespace glimpse::prices_fuzz
