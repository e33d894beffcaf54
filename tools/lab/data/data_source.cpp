#include "lab/data/data_source.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/file.h"
#include "data/text/number.h"
#include "gen/factor_set.h"
#include "gen/simulated_set.h"
#include "lab/data/gzip_file.h"
#include "mnist/idx.h"

namespace glimpse {

namespace {

constexpr double kDefaultTestShare = 0.1;

// The part of `text` up to the first `separator`, which is taken away with it.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

bool is_digit(std::string_view text) { return text.size() == 1 && text[0] >= '0' && text[0] <= '9'; }

DenseSet pair_of(const LabelledImages& images, std::uint8_t negative, std::uint8_t positive) {
  DenseSet set;
  set.dimension = images.dimension();
  std::vector<float> row(set.dimension);
  for (const PairExample& example : select_pair(images, negative, positive)) {
    const auto pixels = images.image(example.image);
    for (std::size_t p = 0; p < pixels.size(); ++p) row[p] = static_cast<float>(pixels[p]) / 255;
    set.append(row, example.label);
  }
  return set;
}

// Every image, with its digit as the label.
DenseSet all_digits(const LabelledImages& images) {
  DenseSet set;
  set.dimension = images.dimension();
  std::vector<float> row(set.dimension);
  for (std::size_t i = 0; i < images.labels.size(); ++i) {
    const auto pixels = images.image(i);
    for (std::size_t p = 0; p < row.size(); ++p) row[p] = static_cast<float>(pixels[p]) / 255;
    set.append(row, images.labels[i]);
  }
  return set;
}

Result<DataSet> load_mnist(std::string_view spec) {
  const bool has_all = spec == "all" || spec.starts_with("all:");
  const std::string_view negative = has_all ? take(spec, ':') : take(spec, ',');
  const std::string_view positive = has_all ? negative : take(spec, ':');
  if (!has_all && (!is_digit(negative) || !is_digit(positive) || negative == positive))
    return failure(ErrorCode::kInvalidOption,
                   "--data mnist:{},{}: must name two different digits, as in mnist:3,5[:DIR], or be "
                   "mnist:all[:DIR]",
                   negative, positive);
  std::string folder(spec);
  if (const char* variable = std::getenv("GLIMPSE_MNIST"); folder.empty() && variable != nullptr)
    folder = variable;
  if (folder.empty())
    return failure(ErrorCode::kInvalidOption,
                   "--data mnist:{},{}: neither :DIR nor GLIMPSE_MNIST names the folder of MNIST's files "
                   "(tools/fetch-mnist prints it)",
                   negative, positive);
  PosixFileSystem files;
  DataSet set;
  for (const auto& [part, name] : {std::pair{&set.train, "train"}, std::pair{&set.test, "t10k"}}) {
    const auto images = read_mnist(files, folder, name);
    if (!images) return images.error();
    *part = has_all ? all_digits(*images)
                    : pair_of(*images, static_cast<std::uint8_t>(negative[0] - '0'),
                              static_cast<std::uint8_t>(positive[0] - '0'));
  }
  return set;
}

template <class Stream>
DenseSet draw(Stream& stream, std::size_t examples) {
  DenseSet set;
  set.dimension = stream.dimension();
  set.values.reserve(examples * set.dimension);
  set.labels.reserve(examples);
  std::vector<double> values(set.dimension);
  for (std::size_t n = 0; n < examples; ++n) {
    set.labels.push_back(stream.next(values));
    for (const double x : values) set.values.push_back(static_cast<float>(x));
  }
  return set;
}

template <class Stream, class StreamOptions>
Result<DataSet> draw_both(const StreamOptions& simulated, const DataOptions& options) {
  if (const Status status = validate(simulated); !status) return status.error();
  Stream stream(simulated);
  DataSet set;
  set.train = draw(stream, options.examples);
  set.test = draw(stream, options.test_examples);
  return set;
}

Result<DataSet> load_simulated(std::string_view spec, const DataOptions& options) {
  const std::string_view whole = spec;
  const std::string_view name = take(spec, ':');
  const std::string_view parameter = take(spec, ':');
  std::uint64_t dimension = options.dimension;
  const bool sound = spec.empty() ? !whole.ends_with(':') : read_index(spec, dimension);
  std::uint64_t factors = 0;
  if (name == "factors" && sound && read_index(parameter, factors)) {
    FactorOptions simulated;
    simulated.factors = factors;
    simulated.dimension = dimension;
    simulated.seed = options.data_seed;
    return draw_both<FactorSet>(simulated, options);
  }
  SimulatedOptions simulated;
  const auto kind = parse_simulated_kind(name);
  if (!kind || !sound || !read_number(parameter, simulated.alpha))
    return failure(ErrorCode::kInvalidOption,
                   "--data simulated:{}: must be simulated:ridge:ALPHA, simulated:lasso:ALPHA or "
                   "simulated:factors:F, F a number of factors; :D behind it is the number of attributes",
                   whole);
  simulated.kind = *kind;
  simulated.dimension = dimension;
  simulated.seed = options.data_seed;
  return draw_both<SimulatedSet>(simulated, options);
}

Result<DataSet> load_file(const DataOptions& options) {
  const auto text = read_maybe_gzip(options.data);
  if (!text) return text.error();
  auto table = parse_table(*text, options.data, options.label, options.most_attributes);
  if (!table) return table.error();
  DataSet set;
  set.train = std::move(*table);
  set.test.dimension = set.train.dimension;
  if (options.positive) {
    std::size_t positives = 0;
    for (double& label : set.train.labels) {
      label = label == *options.positive ? 1 : -1;
      positives += label > 0 ? 1 : 0;
    }
    if (positives == 0 || positives == set.train.size())
      return failure(ErrorCode::kInvalidOption, "--positive {}: {} of {} examples in '{}' have that label",
                     *options.positive, positives, set.train.size(), options.data);
  }
  return set;
}

// FNV-1a over 32-bit words: of values, labels and where the training set ends.
std::uint64_t content_hash(const DataSet& set) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3; };
  for (const DenseSet* part : {&set.train, &set.test}) {
    add(part->size());
    for (const float value : part->values) add(std::bit_cast<std::uint32_t>(value));
    for (const double label : part->labels) {
      const auto bits = std::bit_cast<std::uint64_t>(label);
      add(bits & 0xffffffff);
      add(bits >> 32);
    }
  }
  return hash;
}

void standardise_labels(DataSet& set) {
  if (set.train.labels.empty()) return;
  const auto n = static_cast<double>(set.train.size());
  double mean = 0;
  for (const double y : set.train.labels) mean += y / n;
  // Of equal labels rounding would leave a deviation that is no deviation.
  const auto [least, most] = std::minmax_element(set.train.labels.begin(), set.train.labels.end());
  if (*least == *most) mean = *least;
  double variance = 0;
  for (const double y : set.train.labels) variance += (y - mean) * (y - mean) / n;
  const double unit = variance > 0 ? std::sqrt(variance) : 1;
  for (DenseSet* part : {&set.train, &set.test})
    for (double& y : part->labels) y = (y - mean) / unit;
}

Scaling scaling_of(const DataOptions& options) {
  return options.scaling.value_or(options.data.starts_with("mnist:") ? Scaling::kNorm : Scaling::kNone);
}

}  // namespace

Result<DataSource> DataSource::load(const DataOptions& options) {
  if (options.test_share && !(*options.test_share > 0 && *options.test_share < 1))
    return failure(ErrorCode::kInvalidOption, "--test-share {}%: must be between 0% and 100%",
                   *options.test_share * 100);
  std::string_view spec = options.data;
  const std::string_view kind = take(spec, ':');
  const bool built_in = kind == "mnist" || kind == "simulated";
  if (built_in && options.positive)
    return failure(ErrorCode::kInvalidOption, "--positive: is for files; '{}' has labels already",
                   options.data);
  auto set = kind == "mnist"       ? load_mnist(spec)
             : kind == "simulated" ? load_simulated(spec, options)
                                   : load_file(options);
  if (!set) return set.error();
  DataOptions complete = options;
  if (!built_in && !complete.test_share) complete.test_share = kDefaultTestShare;
  DataSource source(complete, std::move(*set));
  const std::size_t smallest = std::min(source.training_size(), source.prepare(1)->test.size());
  if (smallest < 1)
    return failure(ErrorCode::kInvalidOption, "--data {}: leaves no examples to train or to test with",
                   options.data);
  return source;
}

DataSource::DataSource(const DataOptions& options, DataSet whole)
    : options_(options),
      whole_(std::make_shared<DataSet>(std::move(whole))),
      content_(content_hash(*whole_)) {
  if (!resplits()) fixed_ = std::make_shared<DataSet>(split(options_.split_seed.value_or(0)));
}

bool DataSource::resplits() const { return options_.test_share && !options_.split_seed; }

std::size_t DataSource::training_size() const {
  if (fixed_) return fixed_->train.size();
  const std::size_t n = whole_->train.size() + whole_->test.size();
  const auto tests = static_cast<std::size_t>(std::llround(*options_.test_share * static_cast<double>(n)));
  return std::min(n - std::min(tests, n), options_.largest_training);
}

std::shared_ptr<const DataSet> DataSource::prepare(std::uint64_t seed) const {
  return fixed_ ? fixed_ : std::make_shared<const DataSet>(split(seed));
}

DataSet DataSource::split(std::uint64_t split_seed) const {
  DataSet parts;
  if (options_.test_share) {
    // A file has no test set of its own, and need not be copied.
    DenseSet joined;
    if (whole_->test.size() > 0) {
      joined = whole_->train;
      joined.values.insert(joined.values.end(), whole_->test.values.begin(), whole_->test.values.end());
      joined.labels.insert(joined.labels.end(), whole_->test.labels.begin(), whole_->test.labels.end());
    }
    const DenseSet& all = whole_->test.size() > 0 ? joined : whole_->train;
    Random random(split_seed);
    const RowOrder order = shuffled_order(all.size(), random);
    const auto tests =
        static_cast<std::size_t>(std::llround(*options_.test_share * static_cast<double>(all.size())));
    const auto rows = std::span<const std::uint32_t>(order);
    parts.test = select_rows(all, rows.first(tests));
    parts.train =
        select_rows(all, rows.subspan(tests, std::min(all.size() - tests, options_.largest_training)));
  } else {
    parts = *whole_;
    const std::size_t kept = std::min(parts.train.size(), options_.largest_training);
    parts.train.labels.resize(kept);
    parts.train.values.resize(kept * parts.train.dimension);
  }
  scale(scaling_of(options_), parts.train, parts.test);
  if (options_.standardise_labels) standardise_labels(parts);
  return parts;
}

std::string DataSource::describe() const {
  const auto optional = [](const auto& value) {
    return value ? fmt::format("{}", *value) : std::string("-");
  };
  // What a file is called decides nothing; what is in it does.
  const std::size_t colon = options_.data.find(':');
  const bool built_in = options_.data.starts_with("mnist:") || options_.data.starts_with("simulated:");
  return fmt::format(
             "data={}\nscale={}\npositive={}\ntest-share={}\nsplit-seed={}\ndimension={}\ntraining={}"
             "\ncontent={:"
             "016x}"
             "\n",
             built_in ? options_.data.substr(0, colon) : "file", name_of(scaling_of(options_)),
             optional(options_.positive), optional(options_.test_share), optional(options_.split_seed),
             dimension(), training_size(), content_) +
         (options_.standardise_labels ? "labels=standardised\n" : "");
}

}  // namespace glimpse
