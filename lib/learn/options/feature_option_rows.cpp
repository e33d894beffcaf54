#include "learn/options/feature_option_rows.h"

#include <cstdint>

namespace glimpse {

namespace {

using Types = OptionTypes<LearnerOptions>;

constexpr std::uint64_t kAnyCount = 1000000000000000000;
constexpr const char* kExpansion = "has an effect on --algorithm apple only";

bool expands(const LearnerOptions& o) { return finds_products(o.algorithm); }
bool has_pairs(const LearnerOptions& o) { return keeps_pairs(o.algorithm) || o.algorithm == kAutomatic; }
bool plans_by_pairs(const LearnerOptions& o) {
  return keeps_all_pairs(o.algorithm) || o.algorithm == kAutomatic;
}
bool screens_attributes(const LearnerOptions& o) { return screens(o.algorithm); }

}  // namespace

std::vector<Option<LearnerOptions>> feature_option_rows() {
  return {
      {.name = "pair-memory",
       .value = "SIZE",
       .sentence = "largest size of the pairs' moments of pairwise and pairwise-screened",
       .standard = "1GiB",
       .details =
           R"(The most memory that pairwise may take for its pairs: 16·d·(d − 1) + 104·d bytes are needed, and
half of that once more for solving (with 'drift' twice the half). 1GiB is enough for 8189
attributes.)",
       .type = Types::bytes(at(&LearnerOptions::pair_memory)),
       .rules = {{has_pairs, "has an effect on --algorithm pairwise and pairwise-screened only"}}},
      {.name = "active",
       .value = "A",
       .sentence = "pairwise-screened: keep the pairs of at most so many attributes; default 2048, or what "
                   "fits --pair-memory",
       .example = "2048",
       .details =
           R"(pairwise-screened: keep the pairs of at most so many attributes. More find more where much matters;
a solution takes time proportional to the square. Default: 2048, or what fits pair-memory.)",
       .type = Types::whole(at(&LearnerOptions::active), 2, kAnyCount),
       .rules = {{screens_attributes, "has an effect on --algorithm pairwise-screened only"}}},
      {.name = "products",
       .value = "off|2|3",
       .sentence =
           "pairwise and pairwise-screened: products of up to so many attributes that explain the label "
           "become features",
       .standard = "off",
       .details =
           R"(2: products of two attributes, squares among them, become features once they explain more of the
label than the attributes alone do: for what is not linear, at the same budget, from 4 attributes
an example on. 3: of three attributes as well, cubes among them, from 6 an example on. Memory: 16
bytes for each pair of these features (see 'pair-memory'; 1GiB is enough for 126 attributes with 2,
32 with 3; of more, some at a time have products), and a quarter of that once more for solving. With
pairwise and pairwise-screened, without 'radius' and categories. pairwise-screened: 512 bytes an
attribute more at most, by which attributes are found that explain something in a product alone.)",
       .type = Types::choice<std::size_t>(at(&LearnerOptions::products), {{"off", 0}, {"2", 2}, {"3", 3}}),
       .rules = {{has_pairs, "has an effect on --algorithm pairwise and pairwise-screened only"}}},
      {.name = "looks",
       .value = "learned|uniform",
       .sentence = "pairwise: draw attributes by what was learned of them, or all alike, to compare with",
       .standard = "learned",
       .details =
           R"(pairwise: learned draws attributes that vary more or explain more of the label more often. uniform
draws all alike throughout, whatever was learned: to see what choosing is worth.)",
       .type = Types::choice<Looks>(at(&LearnerOptions::looks),
                                    {{"learned", Looks::kLearned}, {"uniform", Looks::kUniform}}),
       .rules = {{plans_by_pairs, "has an effect on --algorithm pairwise only"}}},
      {.name = "look-at-best",
       .value = "N",
       .sentence = "pairwise and pairwise-screened: later looks go to the N attributes that predict best "
                   "together",
       .example = "10",
       .details =
           R"(Once it is sure enough which N attributes predict best together (up to 256), with 'budget-cost' for
their price, looks are spent on them, and the model is of them alone. Some 8 in a hundred looks stay
on all attributes, so that the choice is revised when the world changes
(lib/learn/small_models/LOOK_AT_BEST.md). May be changed at a restart. Default: all attributes.)",
       .type = Types::whole(at(&LearnerOptions::look_at_best), 1, kMostBest),
       .rules = {{has_pairs, "has an effect on --algorithm pairwise and pairwise-screened only"}}},
      {.name = "expansion-exponent",
       .value = "A",
       .sentence = "apple: s^A features get products at each expansion, of examples with s attributes other "
                   "than 0",
       .standard = "1",
       .details =
           R"(apple: at the end of each epoch so many features get products with all attributes, s to the power of
this, where an example has s attributes other than 0 in the mean; up to 2. Less is faster, and finds
less. Epochs end at sixths of 'horizon', or, without it, at powers of two from 256 examples
on.)",
       .type = Types::real(at(&LearnerOptions::expansion_exponent)),
       .rules = {{expands, kExpansion}}},
      {.name = "max-features",
       .value = "N",
       .sentence = "apple: at most so many products of attributes have weights",
       .standard = "1048576",
       .details =
           R"(apple: at most so many products of attributes have weights; about 150 bytes each. What finds no room
is counted (glimpse_products_lacking_total) and logged.)",
       .type = Types::whole(at(&LearnerOptions::max_features), 1, std::uint64_t{1} << 31),
       .rules = {{expands, kExpansion}}},
      {.name = "fallback-parent",
       .value = "on|off",
       .sentence = "apple: one feature of each expansion is of the lowest degree that is left",
       .standard = "off",
       .details =
           R"(apple: one of the features of each expansion is of the lowest degree that is left, whatever its
weight: so all products are reached at last, however misleading the weights are.)",
       .type = Types::on_off(at(&LearnerOptions::fallback_parent)),
       .rules = {{expands, kExpansion}}},
  };
}

}  // namespace glimpse
