"""`vw` with these options, in Python: prints the seconds from its start to its end, without Python's own start and imports.

It runs in the peers' environment."""

import sys
import time

import vowpalwabbit

begin = time.perf_counter()
vowpalwabbit.Workspace(arg_list=sys.argv[1:]).finish()
print(time.perf_counter() - begin)
