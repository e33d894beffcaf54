"""The earlier name of glimpse.client."""

import sys

import glimpse.client

sys.modules[__name__] = glimpse.client
