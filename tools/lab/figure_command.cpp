#include "lab/commands.h"
namespace glimpse {
int figure_command(int, const char* const*) { return 1; }
}  // namespace glimpse
