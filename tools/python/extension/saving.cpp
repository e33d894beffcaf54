#include <algorithm>
#include <chrono>

#include "data/table_schema.h"
#include "learn/core/array_limits.h"
#include "learn/core/state_check.h"
#include "learn/plans/plan_random.h"
#include "session.h"

// Checkpoints: what the daemon's StreamProcessor would save and restore.

namespace glimpse::python {

namespace {
// By which plans expire in checkpoints, as time.time() in Python.
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}
}  // namespace

State Session::save() const {
  const std::lock_guard lock(mutex_);
  State state;
  state.begin();
  learner_->save(state);
  names_.save(state);
  save_plan_random(state, plans_ahead_, *learner_, random_, inner_random_);
  state.put_number("predictions", predictions_);
  plans_.save(state, 0, wall_seconds());
  state.put_number("spending.cost", spent_);
  for (const Tensor& tensor : kept_.tensors())
    if (state.find(tensor.name) == nullptr && is_daemons(tensor.name)) state.put_again(tensor.name, tensor);
  for (const Text& text : kept_.texts())
    if (!state.get_text(text.name) && text.name != kPackageText) state.put_text(text.name, text.value);
  if (!noted_.empty()) state.put_text(kPackageText, noted_);
  // What a daemon asks for, of no inputs.
  if (state.find("inputs.names") == nullptr) {
    (void)state.put<std::uint8_t>("inputs.names", 0);
    (void)state.put<std::uint64_t>("inputs.progress", 0);
    (void)state.put<std::uint64_t>("inputs.fingerprints", 0);
  }
  state.finish();
  reset_reports(state);
  return state;
}

void Session::note(std::string text) {
  const std::lock_guard lock(mutex_);
  noted_ = std::move(text);
}

// Of doors, their sources and positions, and how learning went: a session has nothing of these. The learner's
// own arrays, which come and go as it learns, are its alone.
bool Session::is_daemons(std::string_view name) {
  constexpr std::string_view kRooms[] = {"inputs",  "sources",   "held_out", "frozen",
                                         "history", "promotion", "spending"};
  return std::ranges::any_of(kRooms, [&](std::string_view room) { return name.starts_with(room); });
}

Status Session::restore_rest(const State& state) {
  GLIMPSE_TRY(check_state(state));
  GLIMPSE_TRY(learner_->restore(state));
  GLIMPSE_TRY(names_.restore(state));
  GLIMPSE_TRY_ASSIGN(const auto random, restore_plan_random(state));
  GLIMPSE_TRY_ASSIGN(const auto predictions, state.get_number<std::uint64_t>("predictions"));
  GLIMPSE_TRY(plans_.restore(state, names_.dimension(), 0, wall_seconds()));
  GLIMPSE_TRY_ASSIGN(const auto spent, state.get_number<std::uint64_t>("spending.cost", std::uint64_t{0}));
  Temperature temperature;
  GLIMPSE_TRY(temperature.restore(state, "held_out.temperature"));
  slope_ = temperature.slope();
  random_ = random.outer;
  inner_random_ = random.inner;
  learner_->set_plan_block(random.block);
  predictions_ = predictions;
  spent_ = spent;
  has_named_ = !names_.empty();
  has_news_ = true;
  kept_ = state;
  known_words_ = 0;
  note_words();
  return restore_forms(state);
}

// How the cells of tables were read: see read_cells().
Status Session::restore_forms(const State& state) {
  labels_ = learner_->options().labels;
  if (labels_.empty()) labels_.resize(1);
  GLIMPSE_TRY_ASSIGN(const auto schema, TableSchema::restore(state));
  if (!schema) return {};
  GLIMPSE_TRY_ASSIGN(const auto layout, TableLayout::restore(state, dimension()));
  if (labels_.size() == 1)
    labels_[0] = layout.chosen_names().empty() ? schema->table.label.name : layout.chosen_names().front();
  forms_.resize(dimension() + labels_.size());  // the last are the labels'
  if (schema->table.decimal_comma)
    std::ranges::fill(forms_, ColumnForm{ColumnForm::Type::kNumber, NumberForm::kDecimalComma});
  if (!schema->form.table) return {};
  const TableForm& table = *schema->form.table;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool is_named = i < table.names.size();
    std::optional<std::size_t> place;
    const bool is_first = !is_named && !table.is_of_json() && layout.label() == i;
    const auto label = is_named   ? std::ranges::find(labels_, table.names[i])
                       : is_first ? labels_.begin()
                                  : labels_.end();
    if (label != labels_.end())
      place = dimension() + static_cast<std::size_t>(label - labels_.begin());
    else if (is_named)
      place = names_.find(table.names[i]);
    else if (table.is_of_json())
      place = i;
    else if (i < layout.width())
      place = layout.attribute(i, true);
    if (place && *place < forms_.size()) forms_[*place] = table.columns[i];
  }
  return {};
}

}  // namespace glimpse::python
