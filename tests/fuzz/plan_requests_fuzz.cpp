// The bodies of /v1/ask, /v1/tell and /v1/predict with "known": read, and the tells told to a learner, of one
// label or of several. The first byte chooses the endpoint; each '@' stands for the name of an open plan.

#include <boost/json.hpp>

#include "daemon/api/plan_answers.h"
#include "daemon/bodies/plan_bodies.h"
#include "fuzzing.h"
#include "learn/factory.h"

namespace glimpse::plan_requests_fuzz {

constexpr std::size_t kDimension = 8;
constexpr double kNow = 1000;

StreamProcessor make_processor(std::vector<std::string> labels) {
  LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = kDimension;
  options.budget = 3;
  options.labels = std::move(labels);
  StreamProcessor processor(*make_learner(options), AttributeNames(kDimension), 1);
  processor.set_buying(32, 0x3f9a2b, {});
  require(processor.names().fix({"age", "sex", "bmi"}).has_value());
  return processor;
}

std::string with_ids(std::string_view text, const PlanBook& book) {
  const auto plans = book.list(0, 1);
  std::string body;
  for (const char c : text) body += c == '@' ? format_plan_id(plans.front()->id) : std::string(1, c);
  return body;
}

void check_tell(StreamProcessor& processor, const std::string& body) {
  static Door door;
  auto items = TellItems::open(body);
  if (!items) return require(!items.error().message.empty());
  std::string results;
  std::size_t count = 0;
  TellBatch batch;
  while (items->next(batch, 3, 100)) {
    std::vector<TellAnswer> answers;
    for (const Told& item : batch.items) {
      const std::uint64_t before = processor.learner().counts().examples;
      const auto id = parse_plan_id(item.id);
      const OpenPlan* const plan = id ? processor.plans().find(*id) : nullptr;
      const bool was_complete = plan != nullptr && plan->labels.are_all_told() && !plan->values.empty();
      require(!was_complete);  // or it would have been learned from
      answers.push_back(tell(processor, door, batch, item, kNow));
      const bool learned = answers.back().status == TellStatus::kLearned;
      require(processor.learner().counts().examples == before + (learned ? 1 : 0));
      require(learned || !answers.back().message.empty());
      const Learner& learner = processor.learner();
      for (std::size_t l = 0; l < learner.label_count(); ++l)
        require(learner.of_label(l).counts().examples == learner.counts().examples);
    }
    std::size_t learned = 0;
    results += told_results_json(answers, count == 0, learned);
    count += answers.size();
  }
  require(count > 0 || items->is_batch());
  require(boost::json::parse("[" + results + "]").as_array().size() == count);  // throws where it is no JSON
  const PlanBook::Counts& c = processor.plans().counts();
  require(c.given == processor.plans().open() + c.learned + c.not_learned + c.expired + c.abandoned);
  require(c.learned == processor.learner().counts().examples);
}

// Two readers of JSON take the same texts.
void check_nodes(std::string_view body) {
  JsonNodes nodes(100000);
  std::string arena;
  arena.reserve(body.size());
  const Status mine = nodes.parse(body, arena);
  boost::system::error_code code;
  boost::json::parse_options options;
  boost::json::parse(boost::json::string_view(body.data(), body.size()), code, {}, options);
  require(mine.has_value() == !code);
}

const Fuzzer fuzzer("plan_requests", [](Input input) {
  static StreamProcessor processors[] = {make_processor({}), make_processor({"temp", "cnt", "wind"})};
  const std::uint8_t choice = input.byte();
  StreamProcessor& processor = processors[choice / 4 % 2];
  while (processor.plans().open() < 8) {
    AskedPlans plans;
    require(ask(processor, 1, std::nullopt, kNow, kNow + 1e6, plans).has_value());
  }
  const std::string body = with_ids(input.rest(), processor.plans());
  switch (choice % 4) {
    case 0: {
      const auto request = read_ask(body);
      if (!request) {
        require(!request.error().message.empty());
      } else {
        require(request->count >= 1);
        std::vector<Attribute> attributes;
        if (resolve_attributes(request->available, processor.names(), attributes) &&
            sort_attributes(attributes))
          for (const Attribute i : attributes) require(i < kDimension);
      }
      break;
    }
    case 1: {
      if (!holds_partial_examples(body)) break;
      const auto examples = PartialExamples(body).next(body.size() + 1);
      if (examples)
        for (const KnownValues& known : *examples)
          if (const auto resolved = resolve_known(known, processor.names())) {
            for (const Entry& entry : resolved->entries) require(entry.attribute < kDimension);
            require(resolved->given.size() >= resolved->entries.size());
          }
      break;
    }
    case 2:
      check_nodes(body);
      break;
    default:
      check_tell(processor, body);
  }
});

}  // namespace glimpse::plan_requests_fuzz
