#include <fmt/core.h>

#include "common/command_line.h"
#include "lab/commands.h"
#include "lab/experiments/improvement_ratios.h"
#include "lab/options.h"

namespace glimpse {

namespace po = boost::program_options;

int rho_command(int argc, const char* const* argv) {
  constexpr std::string_view kProgram = "glimpse-lab rho";
  constexpr std::string_view kUsage =
      "Usage: glimpse-lab rho --data DATA [options]\n"
      "Prints what knowing the second moments M_i = E[x_i^2] of the training set can gain (1: nothing):\n"
      "rho_ridge = ||M||_half/(d E||x||^2) and rho_lasso = ||M||_1/(d max M_i). Both depend on how the\n"
      "attributes are scaled against each other.\n";
  po::options_description options("Options", 100);
  add_data_options(options);
  po::variables_map values;
  if (const auto exit = parse_command_line(argc, argv, kProgram, kUsage, "", options, values)) return *exit;
  const auto data = read_data_options(values);
  if (!data) return report(kProgram, data.error());
  const auto source = DataSource::load(*data);
  if (!source) return report(kProgram, source.error());
  const auto set = source->prepare(1);
  const ImprovementRatios ratios = improvement_ratios(second_moments(set->train));
  fmt::print("dimension  {}\nexamples   {}\nrho_ridge  {:.4f}\nrho_lasso  {:.4f}\n", set->train.dimension,
             set->train.size(), ratios.ridge, ratios.lasso);
  return 0;
}

}  // namespace glimpse
