"""Experiments of the papers that glimpse implements: data, figures, references."""
