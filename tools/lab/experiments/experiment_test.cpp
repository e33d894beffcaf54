#include "lab/experiments/experiment.h"

#include <doctest/doctest.h>

#include "base/faulty_file_system_test_support.h"
#include "lab/commands.h"
#include "lab/lab_test_support.h"

namespace experiment_test {

using namespace glimpse;

namespace {

DataSource small_source() {
  DataOptions options;
  options.data = "simulated:ridge:-1";
  options.dimension = 20;
  options.examples = 200;
  options.test_examples = 100;
  return DataSource::load(options).value();
}

Curve curve(const char* algorithm, bool tune) {
  Curve c{algorithm, {}, std::nullopt};
  c.method.learner.algorithm = algorithm;
  c.method.learner.budget = 4;
  c.method.learner.radius = 4;
  c.method.learner.step = StepKind::kNumber;
  c.method.learner.step_number = 0.02;
  if (tune)
    c.tuning =
        TuningOptions{.folds = 3, .repeats = 1, .radii = {1, 4}, .steps = {0.01, 0.1}, .step_prefix = {}};
  return c;
}

Experiment experiment() {
  Experiment e;
  e.curves = {curve("aerr", true), curve("two-phase-ddaerr", false), curve("offline-ridge", false)};
  e.points.counts = {50};
  e.points.all = true;
  e.seeds = 3;
  return e;
}

std::string csv_of(const Experiment& e, const DataSource& source, const std::string& folder,
                   std::size_t threads = 1) {
  PosixFileSystem files;
  const JobStore store = JobStore::open(files, folder).value();
  return to_csv(run_experiment(e, source, store, {threads, true}).value().rows);
}

std::size_t files_in(const std::string& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

}  // namespace

TEST_CASE("points in attributes are prefixes of as many examples as may be looked at with them") {
  MeasuringPoints points;
  points.counts = {100, 1000, 3, 1000};
  CHECK(prefixes_of(points, 1, 500) == std::vector<std::size_t>{3, 100});
  points.in_attributes = true;
  CHECK(prefixes_of(points, 5, 500) == std::vector<std::size_t>{1, 20, 200});
  points.all = true;
  CHECK(prefixes_of(points, 500, 200) == std::vector<std::size_t>{1, 2, 200});
}

TEST_CASE("the result does not depend on the number of threads") {
  const DataSource source = small_source();
  CHECK(csv_of(experiment(), source, "") == csv_of(experiment(), source, "", 4));
}

TEST_CASE("a resumed experiment gives identical output") {
  const DataSource source = small_source();
  const TemporaryFolder folder;
  const std::string results = folder.file("results");
  const std::string whole = csv_of(experiment(), source, "");
  Experiment part = experiment();
  part.seeds = 1;
  csv_of(part, source, results);
  CHECK(files_in(results) == 4);  // one choice, three runs
  CHECK(csv_of(experiment(), source, results) == whole);
  CHECK(files_in(results) == 10);

  // One result is lost, one was damaged: both are computed again, and no other.
  std::size_t harmed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(results)) {
    if (entry.path().filename().string().starts_with("aerr-2")) {
      std::filesystem::remove(entry.path());
      ++harmed;
    } else if (entry.path().filename().string().starts_with("two-phase-ddaerr-3")) {
      std::fstream file(entry.path(), std::ios::in | std::ios::out);
      std::string text{std::istreambuf_iterator<char>(file), {}};
      file.seekp(static_cast<std::streamoff>(text.rfind("0.")));
      file << "9.";
      ++harmed;
    }
  }
  CHECK(harmed == 2);
  PosixFileSystem files;
  const JobStore store = JobStore::open(files, results).value();
  const ExperimentResult again = run_experiment(experiment(), source, store, {1, true}).value();
  CHECK(to_csv(again.rows) == whole);
  CHECK(again.runs_computed == 2);
  CHECK(run_experiment(experiment(), source, store, {1, true}).value().runs_computed == 0);
}

// The disk fails at some operation, as a kill would end it there.
TEST_CASE("an interrupted cross-validation loses the candidates in flight alone") {
  const DataSource source = small_source();
  Experiment e = experiment();
  PosixFileSystem no_files;
  const JobStore none = JobStore::open(no_files, "").value();
  const ExperimentResult whole = run_experiment(e, source, none, {1, true}).value();
  CHECK(whole.tuning_runs_computed == 4 * 3);
  for (const std::uint64_t operations : {5, 8, 11}) {
    CAPTURE(operations);
    FaultyFileSystem files;
    const JobStore store = JobStore::open(files, "results").value();
    files.lose_power_at(operations);
    CHECK_FALSE(run_experiment(e, source, store, {1, true}).has_value());
    files.crash(true, FaultyFileSystem::Tail::kKept);
    const ExperimentResult again = run_experiment(e, source, store, {1, true}).value();
    // A candidate's file is created, written and renamed.
    CHECK(again.tuning_runs_computed == 3 * (4 - (operations - 1) / 3));
    CHECK(to_csv(again.rows) == to_csv(whole.rows));
    for (const std::string& name : files.list("results").value())
      CHECK(name.find("candidate") == std::string::npos);
    CHECK(run_experiment(e, source, store, {1, true}).value().tuning_runs_computed == 0);
  }
}

TEST_CASE("examples that were not learned from are counted, those of kept runs too") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  const JobStore store = JobStore::open(files, folder.path()).value();
  std::string table;
  for (int i = 0; i < 90; ++i)
    table += fmt::format("{},{},1\n", i % 2, i % 3 == 0 ? "1e35" : "0.5");  // missing
  DataOptions options;
  options.data = folder.write("t.csv", table);
  options.scaling = Scaling::kNone;
  const DataSource source = DataSource::load(options).value();
  Experiment e;
  e.curves = {curve("online-ridge", false), curve("offline-ridge", false)};
  e.points.all = true;
  e.seeds = 2;
  for (int call = 0; call < 2; ++call) {
    const ExperimentResult result = run_experiment(e, source, store, {1, true}).value();
    REQUIRE(result.unlearned.size() == 1);
    const ExampleCounts& counts = result.unlearned.front().counts;
    CHECK(counts.given == 2 * source.training_size());
    CHECK(counts.missing > 30);
    CHECK(counts.unlearned() == counts.missing);
    CHECK(warnings(result) ==
          fmt::format(
              "warning: online-ridge: {} of {} examples were not learned from: {} had a missing value\n",
              counts.missing, counts.given, counts.missing));
    CHECK(result.runs_computed == (call == 0 ? 4 : 0));
  }
}

TEST_CASE("seeds, orders and splits: one seed alone is what it is among others") {
  const DataSource source = small_source();
  Experiment all = experiment();
  all.curves.erase(all.curves.begin());
  Experiment last = all;
  last.first_seed = 3;
  last.seeds = 1;
  const std::string alone = csv_of(last, source, "");
  CHECK(csv_of(all, source, "").find(alone.substr(0, alone.find('\n'))) != std::string::npos);
}

// The two tables differ in the rows that the split makes test rows, and there in everything.
TEST_CASE("cross-validation never looks at the test set") {
  const std::size_t n = 120;
  Random split(5);
  const RowOrder order = shuffled_order(n, split);
  std::vector<bool> in_test(n);
  for (std::size_t i = 0; i < n / 4; ++i) in_test[order[i]] = true;
  std::string tables[2];
  Random random(1);
  for (std::size_t i = 0; i < n; ++i) {
    const double a = random.uniform();
    const double b = random.uniform();
    for (int t = 0; t < 2; ++t)
      tables[t] += t == 1 && in_test[i] ? fmt::format("{},{},{},{}\n", -50 * a, b, 7 * b, a)
                                        : fmt::format("{},{},{},{}\n", a + b, a, b, 0.5);
  }
  std::vector<TunedCurve> tuned[2];
  double losses[2];
  for (int t = 0; t < 2; ++t) {
    const TemporaryFolder folder;
    DataOptions options;
    options.data = folder.write("t.csv", tables[t]);
    options.test_share = 0.25;
    options.split_seed = 5;
    options.scaling = Scaling::kMaxAbsNorm;
    const DataSource source = DataSource::load(options).value();
    Experiment e;
    for (const char* name : {"aerr", "offline-ridge", "online-ridge"}) {
      Curve c = curve(name, true);
      c.method.learner.budget = 2;
      c.tuning->radii = {0.5, 1, 2, 4};
      e.curves.push_back(c);
    }
    e.points.all = true;
    PosixFileSystem files;
    const auto result = run_experiment(e, source, JobStore::open(files, "").value(), {1, true}).value();
    tuned[t] = result.tuned;
    losses[t] = result.rows.front().test_loss_ratio;
  }
  REQUIRE(tuned[0].size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(tuned[0][i].tuned == tuned[1][i].tuned);
  CHECK(losses[0] != losses[1]);
}

TEST_CASE("the command refuses a prefix beyond the training set, and tunes where phase 1 is a count") {
  const auto run = [](std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), {"run", "--data", "simulated:ridge:-1", "--dimension", "20",
                                         "--examples", "500", "--budget", "4", "--quiet"});
    return run_command().run(static_cast<int>(arguments.size()), arguments.data());
  };
  CHECK(run({"--algorithm", "aerr", "--prefixes", "100,600"}) == 2);
  CHECK(run({"--algorithm", "aerr", "--prefixes", "100,500"}) == 0);
  CHECK(run({"--algorithm", "two-phase-ddaerr", "--phase1", "50", "--cv", "3", "--radii", "1,4", "--steps",
             "0.01"}) == 0);
  MeasuringPoints points;
  points.counts = {100, 600};
  CHECK(check_prefixes(points, 500).error().message ==
        "--prefixes: 600 is more than 500, the number of training examples");
}

TEST_CASE("an unknown algorithm or an empty list of prefixes is refused before anything runs") {
  const DataSource source = small_source();
  PosixFileSystem files;
  const JobStore store = JobStore::open(files, "").value();
  Experiment e = experiment();
  e.curves.push_back(curve("no-such", true));
  CHECK(run_experiment(e, source, store, {1, true}).error().message.find("must be one of") !=
        std::string::npos);
  Experiment none = experiment();
  none.points = {{100000}, false, false};
  CHECK(run_experiment(none, source, store, {1, true}).error().message ==
        "--prefixes: none is from 1 to 200, the number of training examples");
}

}  // namespace experiment_test
