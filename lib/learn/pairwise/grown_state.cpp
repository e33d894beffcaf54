#include "learn/pairwise/grown_state.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "learn/core/further_state.h"
#include "learn/options/algorithms.h"
#include "learn/options/state_options.h"
#include "stats/pair_sums.h"

namespace glimpse {

namespace {

constexpr std::size_t kPairDoubles = 4;        // of an element of pairs.sums
constexpr std::size_t kAttributeDoubles = 13;  // of pairs.attributes
constexpr std::size_t kCellDoubles = 4;        // of pairs.targets
constexpr std::size_t kScreenDoubles = 7;      // of screen.sums
constexpr std::size_t kClassDoubles = 2;       // of screen.classes

// `count` elements of nothing before element `at`, of arrays that have `each` numbers an element.
struct Gap {
  std::size_t at = 0;
  std::size_t count = 0;
};

Status too_short(const Tensor& tensor) {
  return failure(ErrorCode::kCorrupt, "the array '{}' has {} numbers: it is too short", tensor.name,
                 tensor.count());
}

template <class T>
Status put_with_gap(const Tensor& tensor, const Gap& gap, std::size_t each, State& grown, T filler = 0) {
  const std::span values = tensor.values<T>();
  if (tensor.type != element_type_of<T>() || values.size() < gap.at * each) return too_short(tensor);
  const auto room = grown.put<T>(tensor.name, values.size() + gap.count * each);
  const auto begin = std::copy_n(values.begin(), gap.at * each, room.begin());
  const auto behind = std::fill_n(begin, gap.count * each, filler);
  std::copy(values.begin() + static_cast<std::ptrdiff_t>(gap.at * each), values.end(), behind);
  return {};
}

// The packed triangle of pairs, whose rows become longer and more.
Status put_pairs(const Tensor& tensor, std::size_t slots, const Gap& gap, State& grown) {
  if (tensor.type != ElementType::kF64 || tensor.count() != kPairDoubles * slots * (slots - (slots > 0)) / 2)
    return too_short(tensor);
  const std::size_t more = slots + gap.count;
  const auto* const from = reinterpret_cast<const double*>(tensor.bytes.data());
  const auto room = grown.put<double>(tensor.name, kPairDoubles * more * (more - (more > 0)) / 2);
  std::ranges::fill(room, 0.0);
  const auto place = [&](std::size_t slot) { return slot < gap.at ? slot : slot + gap.count; };
  for (std::size_t i = 0; i + 1 < slots; ++i)
    for (std::size_t j = i + 1; j < slots; ++j)
      std::copy_n(
          from + kPairDoubles * (pair_row(i, slots) + j), kPairDoubles,
          room.begin() + static_cast<std::ptrdiff_t>(kPairDoubles * (pair_row(place(i), more) + place(j))));
  return {};
}

// Rows of the slots' cells of `each` numbers, one for each class.
Status put_rows(const Tensor& tensor, std::size_t slots, const Gap& gap, std::size_t each, State& grown) {
  const std::size_t row = slots * each;
  if (tensor.type != ElementType::kF64 || row == 0 || tensor.count() % row != 0) return too_short(tensor);
  const std::span values = tensor.values<double>();
  const std::size_t more = row + gap.count * each;
  const auto room = grown.put<double>(tensor.name, values.size() / row * more);
  std::ranges::fill(room, 0.0);
  const std::size_t before = gap.at * each;
  for (std::size_t r = 0; r < values.size() / row; ++r) {
    std::ranges::copy(values.subspan(r * row, before), room.subspan(r * more).begin());
    std::ranges::copy(values.subspan(r * row + before, row - before),
                      room.subspan(r * more + before + gap.count * each).begin());
  }
  return {};
}

// The new attributes are drawn as often as the likeliest, until the sampling is planned after the next
// example.
Status put_levels(const Tensor& tensor, const Gap& gap, State& grown) {
  const auto* const levels = reinterpret_cast<const std::uint8_t*>(tensor.bytes.data());
  const std::uint8_t highest = tensor.bytes.empty() ? 0 : *std::max_element(levels, levels + tensor.count());
  return put_with_gap<std::uint8_t>(tensor, gap, 1, grown, highest);
}

Status put_due_now(const Tensor& tensor, State& grown) {
  if (tensor.type != ElementType::kU64 || tensor.count() != 3) return too_short(tensor);
  const auto room = grown.put<std::uint64_t>(tensor.name, 3);
  std::copy_n(reinterpret_cast<const std::uint64_t*>(tensor.bytes.data()), 3, room.begin());
  room[2] = 0;
  return {};
}

void put_same(const Tensor& tensor, State& grown) {
  const auto put = [&]<class T>(T) {
    const std::span values = tensor.values<T>();
    std::ranges::copy(values, grown.put<T>(tensor.name, values.size()).begin());
  };
  switch (tensor.type) {
    case ElementType::kU8:
      return put(std::uint8_t{});
    case ElementType::kU32:
      return put(std::uint32_t{});
    case ElementType::kU64:
      return put(std::uint64_t{});
    case ElementType::kF32:
      return put(float{});
    case ElementType::kF64:
      return put(double{});
  }
}

// Where all attributes have one unit, the new ones have it as well.
std::uint32_t shared_exponent(const State& state) {
  const auto shared = state.get_number<std::uint64_t>("gauge.shared");
  const auto exponents = state.get<std::uint32_t>("gauge.exponents");
  return shared && *shared != 0 && exponents && !exponents->empty() ? exponents->front() : 0;
}

// The arrays of past models are of slots, as those of sums: their names begin and end so.
bool is_of_past_model(std::string_view name) {
  return (name.starts_with("past.") || name.starts_with("guard.")) &&
         (name.ends_with(".weights") || name.ends_with(".centre"));
}

// As many numbers a slot as there were classes; those that came since are not in these models.
bool is_past_scores(std::string_view name) {
  return (name.starts_with("past.") || name.starts_with("guard.")) && name.ends_with(".classes.scores");
}
std::size_t classes_of(const State& state, std::string_view scores) {
  const std::string priors = std::string(scores.substr(0, scores.rfind('.'))) + ".priors";
  const Tensor* const tensor = state.find(priors);
  return tensor != nullptr ? tensor->count() : 0;
}

// What waits to judge, and what past models know for predictions from a part, is made again in time.
bool is_left_out_array(std::string_view name) {
  if (name.starts_with("judge.")) return true;
  if (!name.starts_with("past.") && !name.starts_with("guard.")) return false;
  for (const char* const array :
       {".moments", ".means", ".variances", ".ridge", ".target", ".shrinkage", ".classes.counts",
        ".classes.covariances", ".classes.targets", ".classes.totals", ".classes.leverages"})
    if (name.ends_with(array)) return true;
  return false;
}

// Of a screened learner all of whose attributes are active, the new ones as well from now on.
Status put_all_active(const State& state, const Tensor& tensor, const Gap& gap, State& grown) {
  if (tensor.name == "screened.since") {
    GLIMPSE_TRY_ASSIGN(const auto steps, state.get_number<std::uint64_t>("learner.steps", 0));
    return put_with_gap<std::uint64_t>(tensor, gap, 1, grown, steps);
  }
  const auto room = grown.put<std::uint32_t>(tensor.name, gap.at + gap.count);
  std::iota(room.begin(), room.end(), 0U);
  return {};
}

Status put_grown(const State& state, const Tensor& tensor, bool screens, const Gap& gap, State& grown) {
  const std::string_view name = tensor.name;
  if (is_left_out_array(name)) return {};
  if (name == "gauge.centres") return put_with_gap<double>(tensor, gap, 1, grown);
  if (name == "gauge.distances") return put_with_gap<float>(tensor, gap, 2, grown);
  if (name == "gauge.counts") return put_with_gap<std::uint8_t>(tensor, gap, 4, grown);
  if (name == "gauge.evidence") return put_with_gap<std::uint32_t>(tensor, gap, 1, grown);
  if (name == "gauge.exponents")
    return put_with_gap<std::uint32_t>(tensor, gap, 1, grown, shared_exponent(state));
  if (name == "screen.sums") return put_with_gap<double>(tensor, gap, kScreenDoubles, grown);
  if (name == "screen.classes") return put_rows(tensor, gap.at, gap, kClassDoubles, grown);
  if (name == "sampling.levels") return put_levels(tensor, gap, grown);
  if (name == "pairwise.sampling" || name == "screened.sampling") return put_due_now(tensor, grown);
  if (is_of_past_model(name)) return put_with_gap<double>(tensor, gap, 1, grown);
  if (is_past_scores(name)) return put_with_gap<double>(tensor, gap, classes_of(state, name), grown);
  if (!screens && (name == "screened.active" || name == "screened.since"))
    return put_all_active(state, tensor, gap, grown);
  // The sums of a screened learner are of the active attributes, which stay.
  if (!screens && name == "pairs.attributes")
    return put_with_gap<double>(tensor, gap, kAttributeDoubles, grown);
  if (!screens && (name == "pairs.sums" || name == "pairs.targets")) {
    const Tensor* const attributes = state.find("pairs.attributes");
    if (attributes == nullptr) return too_short(tensor);
    const std::size_t slots = attributes->count() / kAttributeDoubles;
    return name == "pairs.sums" ? put_pairs(tensor, slots, gap, grown)
                                : put_rows(tensor, slots, gap, kCellDoubles, grown);
  }
  put_same(tensor, grown);
  return {};
}

// Errors: kMismatch for another learner, kCorrupt.
Status check_options(const State& state) {
  const std::string_view algorithm = option_of(state, "algorithm");
  if (!keeps_pairs(algorithm))
    return failure(ErrorCode::kMismatch, "only the state of {} may change so, not that of {}",
                   algorithm_names(keeps_pairs, " and "), algorithm);
  if (number_of(state, "dimension") == 0)
    return failure(ErrorCode::kCorrupt, "learner.options has no number of attributes");
  return {};
}

// The options of a state, with another value of one that it has.
std::string with_option(std::string_view options, std::string_view name, std::size_t value) {
  std::string changed;
  for (std::size_t begin = 0; begin < options.size();) {
    const std::string_view line = options.substr(begin, options.find('\n', begin) - begin);
    if (line.starts_with(name) && line.substr(name.size()).starts_with('='))
      changed.append(name).append("=").append(std::to_string(value));
    else
      changed.append(line);
    begin += line.size() + 1;
    if (begin <= options.size()) changed += '\n';
  }
  return changed;
}

// A table with more columns tells its layout itself.
void put_other_texts(const State& state, bool grows, State& changed) {
  for (const Text& text : state.texts())
    if (text.name != "learner.options" && !(grows && text.name == "inputs.table") &&
        !text.name.starts_with(kFurtherLabel))
      changed.put_text(text.name, text.value);
}

// What `change` makes of each further label's.
template <class Change>
Status put_further(const State& state, const Change& change, State& changed) {
  for (std::size_t label = 1; const auto part = further_state(state, label); ++label) {
    GLIMPSE_TRY_ASSIGN(const State other, change(*part));
    put_further_state(changed, label, other);
  }
  return {};
}

}  // namespace

Result<State> with_more_attributes(const State& state, std::size_t dimension, std::size_t active) {
  GLIMPSE_TRY(check_options(state));
  if (number_of(state, "products") > 0)
    return failure(
        ErrorCode::kMismatch,
        "the state has products of its attributes (--products), and takes no more attributes: begin "
        "with an empty state, or leave the new ones out (--ignore)");
  const std::size_t before = number_of(state, "dimension");
  if (dimension < before)
    return failure(ErrorCode::kMismatch, "the state is of {} attributes, and none can be taken away for {}",
                   before, dimension);
  const bool has_all_active = number_of(state, "active") == before && active == dimension;
  const bool screened = screens(option_of(state, "algorithm")) && !has_all_active;
  const bool is_further = state.find("pairs.sums") == nullptr;
  State grown;
  grown.begin();
  for (const Tensor& tensor : state.tensors()) {
    if (tensor.name.starts_with(kFurtherLabel)) continue;
    if (is_further && tensor.name.starts_with("gauge.")) {  // of its label alone
      put_same(tensor, grown);
      continue;
    }
    GLIMPSE_TRY(put_grown(state, tensor, screened, {before, dimension - before}, grown));
  }
  put_other_texts(state, true, grown);
  std::string options = with_option(*state.get_text("learner.options"), "dimension", dimension);
  if (number_of(state, "active") == before) options = with_option(options, "active", active);
  grown.put_text("learner.options", options);
  GLIMPSE_TRY(put_further(
      state, [&](const State& part) { return with_more_attributes(part, dimension, active); }, grown));
  grown.finish();
  return grown;
}

Result<State> with_budget(const State& state, std::size_t budget) {
  GLIMPSE_TRY(check_options(state));
  State changed;
  changed.begin();
  for (const Tensor& tensor : state.tensors()) {
    if (tensor.name != "pairwise.sampling" && tensor.name != "screened.sampling")
      put_same(tensor, changed);
    else if (const Status status = put_due_now(tensor, changed); !status)
      return status.error();
  }
  put_other_texts(state, false, changed);
  changed.put_text("learner.options", with_option(*state.get_text("learner.options"), "budget", budget));
  GLIMPSE_TRY(put_further(state, [&](const State& part) { return with_budget(part, budget); }, changed));
  changed.finish();
  return changed;
}

}  // namespace glimpse
