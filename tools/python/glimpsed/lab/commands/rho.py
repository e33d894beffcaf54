"""Prints what knowing the second moments M_i = E[x_i^2] of the training set can gain (1: nothing): rho_ridge =
||M||_half/(d E||x||^2) and rho_lasso = ||M||_1/(d max M_i). Both depend on how attributes are scaled against each other.
"""

from ..arguments import Arguments, Parser, add_data, data_options
from ..data import improvement_ratios, load, second_moments


def add_arguments(parser: Parser) -> None:
    add_data(parser)


def main(given: Arguments) -> None:
    train = load(data_options(given)).prepare(1).train
    ridge, lasso = improvement_ratios(second_moments(train.x))
    print(f"dimension  {train.dimension}\nexamples   {len(train)}\nrho_ridge  {ridge:.4f}\nrho_lasso  {lasso:.4f}")
