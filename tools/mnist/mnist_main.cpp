#include "mnist/mnist_command.h"

int main(int argc, char** argv) { return glimpse::mnist_command().run(argc, argv); }
