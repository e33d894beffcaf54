#include "fleet/simulation_command.h"

int main(int argc, char** argv) { return glimpse::simulation_command().run(argc, argv); }
