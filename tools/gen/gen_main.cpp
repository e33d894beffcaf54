#include "gen/gen_command.h"

int main(int argc, char** argv) { return glimpse::gen_command().run(argc, argv); }
