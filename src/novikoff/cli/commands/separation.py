"""`novikoff separation`."""

import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from novikoff.cli import DONE, NO, UNDECIDED
from novikoff.cli.options import SECONDS
from novikoff.cli.parser import Parser
from novikoff.cli.patience import reassuring
from novikoff.errors import FileError

if TYPE_CHECKING:
    import pandas as pd


def options(parser: Parser) -> None:
    """What can be asked."""
    ask = parser.ask
    parser.reads("data", "DATA", "a CSV or Parquet file, or - for CSV from standard input")
    formula = "the model: 'outcome ~ terms | factors whose effects are not reported'"
    ask("--formula", formula, required=True, metavar="FORMULA")
    families = "binary, fractional, multinomial, cumulative, adjacent, sequential, poisson, ..."
    ask("--family", f"{families} (default: binary)", default="binary", metavar="FAMILY")
    ask("--weight", "column of weights; rows of weight 0 are left out", metavar="COLUMN")
    ask("--budget", "stop after this many seconds (default: 60)", SECONDS, default=60.0)
    ask("--json", "print JSON", action="store_true")
    parser.examples = (
        "novikoff separation trial.csv --formula 'cured ~ dose + C(clinic)'",
        "novikoff separation trial.csv --formula 'visits ~ dose' --family poisson",
    )


def run(arguments: Namespace) -> int:
    """Print whether there is a finite estimate, and if not, why."""
    from novikoff.regression.separation import separation

    data = table(arguments.data)
    weight = None if arguments.weight is None else column(data, arguments.weight, arguments.data)
    with reassuring(arguments.budget):
        result: Any = separation(
            arguments.formula,
            data,
            family=arguments.family,
            sample_weight=weight,
            budget=arguments.budget,
        )
    if arguments.json:
        print(in_json(result))
    else:
        print(result)
    if result.exists is None:
        return UNDECIDED
    return DONE if result.exists else NO


def in_json(result: Any) -> str:
    """The answer for programs."""
    import json

    import numpy as np

    told = {
        "family": result.family,
        "exists": result.exists,
        "coefficients": dict(result.coefficients),
        "separated": np.flatnonzero(result.separated).tolist(),
        "partly_separated": np.flatnonzero(result.partly_separated).tolist(),
        "estimable": list(result.estimable),
    }
    return json.dumps(told, indent=1)


def table(path: str) -> "pd.DataFrame":
    """The file as a DataFrame."""
    import pandas as pd

    try:
        if path.endswith((".parquet", ".pq")):
            return pd.read_parquet(path)
        return pd.read_csv(sys.stdin if path == "-" else path)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise FileError("<stdin>" if path == "-" else path, str(error)) from None


def column(data: "pd.DataFrame", name: str, path: str) -> Any:
    """A column of the table."""
    if name not in data.columns:
        raise FileError(path, f"has no column {name!r} for --weight")
    return data[name]
