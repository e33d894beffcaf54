#include <fmt/format.h>

#include "common/output.h"
#include "common/tool.h"
#include "lab/commands.h"
#include "lab/data_options.h"
#include "lab/experiments/improvement_ratios.h"

namespace glimpse {

namespace {

constexpr ProgramText kRhoText{
    .name = "glimpse-lab rho",
    .usage =
        "Usage: glimpse-lab rho --data DATA [options]\n"
        "Prints what knowing the second moments M_i = E[x_i^2] of the training set can gain (1: nothing):\n"
        "rho_ridge = ||M||_half/(d E||x||^2) and rho_lasso = ||M||_1/(d max M_i). Both depend on how the\n"
        "attributes are scaled against each other.\n"};

struct RhoCommand {
  DataOptions data;

  Status run() const;
};

Status RhoCommand::run() const {
  const auto source = DataSource::load(data);
  if (!source) return source.error();
  const auto set = source->prepare(1);
  const ImprovementRatios ratios = improvement_ratios(second_moments(set->train));
  Output output;
  output.buffer() += fmt::format("dimension  {}\nexamples   {}\nrho_ridge  {:.4f}\nrho_lasso  {:.4f}\n",
                                 set->train.dimension, set->train.size(), ratios.ridge, ratios.lasso);
  return output.finish();
}

}  // namespace

ToolCommand rho_command() {
  return tool_command<RhoCommand>(kRhoText, of_part(data_options(), &RhoCommand::data));
}

}  // namespace glimpse
