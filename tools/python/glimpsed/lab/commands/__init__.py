"""The commands of `python -m glimpsed.lab`, a module each."""
