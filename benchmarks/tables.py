"""From a table of numbers and categories to a model, beside those who only read the table.

    python -m benchmarks.tables            # a gigabyte
    python -m benchmarks.tables --mb 100

Six numbers, four categories of 3 to 5,000 values, a count and a label of text a row, as CSV. Ours
goes from the file to a model: a stream of blocks, each learned from once. pandas and polars read
the file into memory, and learn nothing. Vowpal Wabbit does not read such tables: Python's csv
module writes its text, and one pass of it learns. All in the page cache, best of some rounds taken
in turns; ours and polars use all cores. "Limit" is the time to count the newlines.
"""

import argparse
import csv
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
import polars
import pyarrow
import pyarrow.csv
import vowpalwabbit

from benchmarks.timing import best_of
from novikoff import Perceptron
from novikoff.data import stream

CATEGORIES = {"kind": 3, "city": 12, "shop": 60, "item": 5000}
ROWS = 200_000


def some_rows(rng: np.random.Generator) -> pyarrow.Table:
    """Rows of the table."""
    x = rng.standard_normal((ROWS, 6)).round(4)
    kinds = {
        name: rng.choice([f"{name}{i}" for i in range(n)], ROWS) for name, n in CATEGORIES.items()
    }
    score = x[:, 0] - x[:, 1] + (kinds["kind"] == "kind1") + rng.standard_normal(ROWS)
    columns = {"label": np.where(score > 0, "yes", "no")}
    columns |= {f"x{j}": x[:, j] for j in range(6)} | kinds
    return pyarrow.table(columns | {"count": rng.integers(0, 1000, ROWS)})


def write_table(path: Path, size: float) -> None:
    """A file of that many bytes, about."""
    rng, first = np.random.default_rng(0), True
    with path.open("wb") as file:
        while file.tell() < size:
            options = pyarrow.csv.WriteOptions(include_header=first, quoting_style="none")
            pyarrow.csv.write_csv(some_rows(rng), file, options)
            first = False


def learn(path: Path) -> None:
    """From the file to a model."""
    model = Perceptron(shuffle=False)
    for block in stream(path):
        model.partial_fit(block.X, block.y, classes=["no", "yes"])


def as_vowpal_text(path: Path, out: Path) -> None:
    """What Vowpal Wabbit's documentation would have one write."""
    with path.open(newline="") as file, out.open("w") as target:
        for row in csv.DictReader(file):
            numbers = " ".join(f"x{j}:{row[f'x{j}']}" for j in range(6))
            kinds = " ".join(f"{name}={row[name]}" for name in CATEGORIES)
            label = 1 if row["label"] == "yes" else -1
            target.write(f"{label} | {numbers} count:{row['count']} {kinds}\n")


def vowpal(path: Path) -> None:
    """One pass."""
    vowpalwabbit.Workspace(f"--data {path} --quiet -b 18").finish()


def count_newlines(path: Path) -> None:
    """The least a reader must do."""
    with path.open("rb", buffering=0) as file:
        while block := file.read(2**24):
            block.count(b"\n")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=float, default=1000)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, text = Path(folder) / "table.csv", Path(folder) / "table.vw"
        write_table(path, arguments.mb * 1e6)
        learn(path)  # compiled, and in the page cache
        ways: dict[str, Callable[[], None]] = {
            "novikoff, file to model": lambda: learn(path),
            "pandas.read_csv, file to frame": lambda: pd.read_csv(path),
            "pandas.read_csv, pyarrow": lambda: pd.read_csv(path, engine="pyarrow"),
            "polars.read_csv, file to frame": lambda: polars.read_csv(path),
            "limit": lambda: count_newlines(path),
        }
        seconds = dict(zip(ways, best_of(arguments.rounds, *ways.values()), strict=True))
        start = perf_counter()
        as_vowpal_text(path, text)
        written = perf_counter()
        vowpal(text)
        seconds["csv to Vowpal Wabbit's text"] = written - start
        seconds["Vowpal Wabbit, its text to model"] = perf_counter() - written
        size = os.path.getsize(path)
        print(f"{size / 1e6:,.0f} MB, {os.cpu_count()} cores")
        for name, own in seconds.items():
            ratio = own / seconds["novikoff, file to model"]
            print(f"  {name:34} {own:7.2f} s {size / own / 1e6:7,.0f} MB/s {ratio:6.2f}x")


if __name__ == "__main__":
    main()
