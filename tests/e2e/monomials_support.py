"""Attributes for tests of learners that find products of them, and what the names of products say."""

NAMES = ("hr", "temp", "hum", "wind", "day", "rain")


def factors(name):
    """["hr", "hr", "temp"] of hr^2*temp."""
    found = []
    for factor in name.split("*"):
        base, _, power = factor.partition("^")
        found += [base] * int(power or 1)
    return found
