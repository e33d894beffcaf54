#include "lab/polynomials/polynomial_sets.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/random.h"
#include "lab/data/gzip_file.h"

namespace glimpse {

namespace {

// The paper does not say which classes of covtype, letter, shuttle and abalone are one. Of covtype libsvm's
// binary set has class 2 against the rest; of letter the first half of the alphabet is usual.
constexpr PolynomialSet kSets[] = {
    {"a9a", "a9a_adult.svm.gz", "#1", LabelKind::kClass, 1},
    {"adult", "raw/adult.csv.gz", "last", LabelKind::kClass, 1},
    {"titanic", "titanic.csv.gz", "#1", LabelKind::kClass, 1, true},
    {"abalone_bin", "abalone.csv.gz", "#1", LabelKind::kAtLeast, 10},
    {"abalone_reg", "abalone.csv.gz", "#1", LabelKind::kAsIs, 0},
    {"poker", "", "#1", LabelKind::kClass, 1},
    {"covtype", "covtype.csv.gz", "#1", LabelKind::kClass, 2},
    {"w8a", "w8a.svm.gz", "#1", LabelKind::kClass, 1},
    {"letter", "letter.csv.gz", "#1", LabelKind::kAtLeast, 14},
    {"comp", "cpu_small.csv.gz", "#1", LabelKind::kUnit, 0},
    {"cal_housing", "cal_housing.csv.gz", "#1", LabelKind::kUnit, 0},
    {"eeg_eye_state", "eeg_eye_state.csv.gz", "#1", LabelKind::kClass, 1},
    {"shuttle", "shuttle.csv.gz", "#1", LabelKind::kClass, 1},
    {"mushroom", "mushroom.csv.gz", "#1", LabelKind::kClass, 1},
    {"magic04", "magic04.csv.gz", "#1", LabelKind::kClass, 1},
    {"skin", "skin.csv.gz", "#1", LabelKind::kClass, 1},
    {"ijcnn1", "ijcnn1.csv.gz", "#1", LabelKind::kClass, 1},
    {"activity", "activity.csv.gz", "#1", LabelKind::kClass, 1},
    // Not of the paper.
    {"bike_hour", "bike_hour.csv.gz", "#1", LabelKind::kUnit, 0},
    {"cpu_act", "cpu_act.csv.gz", "#1", LabelKind::kUnit, 0},
    {"ailerons", "ailerons.csv.gz", "#1", LabelKind::kUnit, 0},
    {"elec2", "elec2.csv.gz", "#1", LabelKind::kClass, 1},
    {"ann_thyroid", "ann_thyroid.csv.gz", "#1", LabelKind::kClass, 3},
    {"digits", "digits.csv.gz", "#1", LabelKind::kAtLeast, 5},
    {"spambase", "spambase.csv.gz", "#1", LabelKind::kClass, 1},
    {"phishing", "phishing_uci.csv.gz", "#1", LabelKind::kClass, 1},
    {"htru2", "htru2.csv.gz", "#1", LabelKind::kClass, 1},
    {"credit_default", "credit_default.csv.gz", "#1", LabelKind::kClass, 1},
    {"online_shoppers", "online_shoppers.csv.gz", "#1", LabelKind::kClass, 1},
    {"electrical_grid", "electrical_grid.csv.gz", "#1", LabelKind::kClass, 1},
    {"wine_white", "wine_white.csv.gz", "#1", LabelKind::kUnit, 0},
    {"elevators", "elevators.csv.gz", "#1", LabelKind::kUnit, 0},
    {"pol", "pol.csv.gz", "#1", LabelKind::kUnit, 0},
    {"kin40k", "kin40k.csv.gz", "#1", LabelKind::kUnit, 0},
};

constexpr std::size_t kPokerHands = 946799;  // as in the paper
constexpr std::uint64_t kPokerSeed = 1;

struct Card {
  int rank;  // 0 … 12
  int suit;  // 0 … 3
};

bool is_nothing(const std::array<Card, 5>& hand) {
  std::array<int, 13> ranks{};
  bool is_flush = true;
  for (const Card& card : hand) {
    if (++ranks[static_cast<std::size_t>(card.rank)] > 1) return false;
    is_flush = is_flush && card.suit == hand[0].suit;
  }
  const auto lowest = std::ranges::find(ranks, 1) - ranks.begin();
  const auto run = [&](std::ptrdiff_t from) {
    return std::all_of(ranks.begin() + from, ranks.begin() + from + 5, [](int n) { return n == 1; });
  };
  // Ten, jack, queen, king and ace as well, which is rank 0.
  const bool is_straight =
      (lowest <= 8 && run(lowest)) ||
      (ranks[0] == 1 && std::all_of(ranks.begin() + 9, ranks.end(), [](int n) { return n == 1; }));
  return !is_flush && !is_straight;
}

double label_of(const PolynomialSet& set, double label, double least, double most) {
  if (set.kind == LabelKind::kClass) return label == set.value ? 1 : -1;
  if (set.kind == LabelKind::kAtLeast) return label >= set.value ? 1 : -1;
  return set.kind == LabelKind::kUnit ? (label - least) / (most - least) : label;
}

Status set_labels(const PolynomialSet& set, std::span<double> labels) {
  const auto [least, most] = std::ranges::minmax(labels);
  for (double& label : labels) label = label_of(set, label, least, most);
  if (std::ranges::all_of(labels, [&](double label) { return label == labels[0]; }))
    return failure(ErrorCode::kInvalidInput, "{}: all {} labels are the same", set.name, labels.size());
  return {};
}

}  // namespace

std::span<const PolynomialSet> polynomial_sets() { return kSets; }

ExampleText poker_hands(std::size_t hands, std::uint64_t seed) {
  ExampleText text;
  Random random(seed);
  std::array<int, 52> deck{};
  for (int i = 0; i < 52; ++i) deck[static_cast<std::size_t>(i)] = i;
  for (std::size_t n = 0; n < hands; ++n) {
    std::array<Card, 5> hand{};
    std::array<Entry, 10> entries{};
    for (std::size_t c = 0; c < hand.size(); ++c) {
      std::swap(deck[c], deck[c + random.below(deck.size() - c)]);
      hand[c] = {deck[c] % 13, deck[c] / 13};
      entries[2 * c] = {static_cast<Attribute>(2 * c), static_cast<double>(hand[c].suit + 1)};
      entries[2 * c + 1] = {static_cast<Attribute>(2 * c + 1), static_cast<double>(hand[c].rank + 1)};
    }
    text.append(entries, is_nothing(hand) ? 1 : -1);
  }
  return text;
}

Result<ExampleText> load_set(const PolynomialSet& set, const std::vector<std::string>& folders) {
  if (set.file.empty()) return poker_hands(kPokerHands, kPokerSeed);
  for (const std::string& folder : folders) {
    const std::string path = fmt::format("{}/{}", folder, set.file);
    const auto text = read_maybe_gzip(path);
    if (!text && text.error().code == ErrorCode::kNotFound) continue;
    if (!text) return text.error();
    auto examples = parse_examples(*text, path, {std::string(set.label), set.all_are_words});
    if (!examples) return examples.error();
    if (const Status status = set_labels(set, examples->labels()); !status) return status.error();
    return examples;
  }
  return failure(ErrorCode::kNotFound, "{}: no folder has {}", set.name, set.file);
}

}  // namespace glimpse
