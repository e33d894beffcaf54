// The file of --costs.

#include "fuzzing.h"
#include "learn/options/prices.h"

using namespace glimpse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const AttributeNames names = [] {
    AttributeNames fixed(4);
    require(fixed.fix({"age", "sex"}).has_value());
    return fixed;
  }();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
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
  return 0;
}
