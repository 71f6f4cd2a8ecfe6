"""Reading files beside scikit-learn's reader, Vowpal Wabbit's whole pass, and counting newlines.

    python -m benchmarks.read            # the tables
    python -m benchmarks.read --mb 20    # smaller files

Files are real sets repeated, and made-up ones, of about the same size, in the page cache. Best of
several rounds taken in turns, all cores for us, as many as they use for the others. "Limit" is the
time to get the bytes and count their newlines, which is the least that any reader of lines must do.
The second table goes from file to model: a stream of blocks, each learned from once by a
perceptron, beside Vowpal Wabbit's pass over the same file with its defaults, and with one thread
of ours.
"""

import argparse
import bz2
import gzip
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numba
import numpy as np
import sklearn
import vowpalwabbit
from sklearn.datasets import load_svmlight_file

from benchmarks.timing import best_of
from novikoff import Perceptron
from novikoff.data import read, stream
from novikoff.data.lines import COLON, lines_and

SHARED = Path(__file__).parent.parent.parent / "shared" / "data"


def made_up(digits: int) -> bytes:
    """Rows of 50 numbers of so many digits among 200 features."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal((4000, 50))
    return b"".join(
        b"%d %s\n" % (1 if row[0] > 0 else -1, " ".join(entries(row, digits)).encode())
        for row in values
    )


def entries(row: np.ndarray, digits: int) -> Iterator[str]:
    """The entries of a made-up row."""
    return (f"{4 * j + 1}:{x:.{digits}g}" for j, x in enumerate(row))


def texts() -> Iterator[tuple[str, bytes]]:
    """What the files repeat."""
    real: list[tuple[str, str, Callable[[bytes], bytes]]] = [
        ("a9a (0/1)", "a9a/a9a.gz", gzip.decompress),
        ("ijcnn1 (6 digits)", "ijcnn1/ijcnn1.bz2", bz2.decompress),
        ("news20 (counts)", "news20_multiclass/news20.bz2", bz2.decompress),
    ]
    for name, path, unpack in real:
        if (SHARED / path).exists():
            yield name, unpack((SHARED / path).read_bytes())
    yield "made up (6 digits)", made_up(6)
    yield "made up (17 digits)", made_up(17)


def vowpal(text: bytes) -> bytes:
    """The same examples for Vowpal Wabbit, labels -1 and +1."""
    lines = (line.split(b" ", 1) for line in text.splitlines() if b" " in line)
    return b"".join(
        b"%d | %s\n" % (1 if float(label) > 0 else -1, rest.rstrip()) for label, rest in lines
    )


def repeated(text: bytes, path: Path, size: float) -> None:
    """Write a text again and again until the file has that size."""
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(text)


def count_newlines(path: Path) -> None:
    """Look at every byte of a file, a little at a time."""
    buffer = np.empty(2**21, np.uint8)
    with path.open("rb", buffering=0) as file:
        while n := file.readinto(memoryview(buffer)):
            lines_and(buffer[:n], COLON)


def reading(folder: Path, size: float, rounds: int) -> None:
    """The table of readers."""
    print("| reading svmlight | MB | read | one thread | scikit-learn | ratio | target | limit |")
    print("|---|---|---|---|---|---|---|---|")
    path = folder / "file.svm"
    for name, text in texts():
        repeated(text, path, size)
        mb = path.stat().st_size / 1e6
        ours, one, theirs, limit = best_of(
            rounds,
            lambda: read(path),
            lambda: read(path, n_jobs=1),
            lambda: load_svmlight_file(str(path)),
            lambda: count_newlines(path),
        )
        speeds = " | ".join(f"{mb / t:.0f} MB/s" for t in (ours, one, theirs))
        ratio = f"**{theirs / ours:.0f}x** | 15x | {mb / limit:.0f} MB/s"
        print(f"| {name} | {mb:.0f} | {speeds} | {ratio} |", flush=True)


def learn(path: Path, n_jobs: int | None = None) -> None:
    """One pass from a file to a model, in the order of the file, as the other makes it."""
    model = Perceptron(shuffle=False)
    for block in stream(path, n_jobs=n_jobs):
        model.partial_fit(block.X, block.y, classes=[-1, 1])


def theirs(path: Path) -> None:
    """Vowpal Wabbit's pass."""
    vowpalwabbit.Workspace(f"-d {path} --quiet -b 18 --loss_function hinge").finish()


def learning(folder: Path, size: float, rounds: int) -> None:
    """The table of whole passes."""
    print("\n| file to model | MB | all cores | one thread | Vowpal Wabbit | ratio | target |")
    print("|---|---|---|---|---|---|---|")
    path = folder / "file.vw"
    for name, text in texts():
        repeated(vowpal(text), path, size)
        mb = path.stat().st_size / 1e6
        ours, one, vw = best_of(
            rounds, lambda: learn(path), lambda: learn(path, 1), lambda: theirs(path)
        )
        speeds = " | ".join(f"{mb / t:.0f} MB/s" for t in (ours, one, vw))
        print(f"| {name} | {mb:.0f} | {speeds} | **{vw / ours:.1f}x** | 2x |", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mb", type=float, default=100.0, help="size of each file")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    versions = ", ".join(
        f"{m.__name__} {m.__version__}" for m in (np, numba, sklearn, vowpalwabbit)
    )
    print(f"{versions}; {os.cpu_count()} cores, best of {args.rounds}\n")
    with tempfile.TemporaryDirectory() as folder:
        reading(Path(folder), args.mb * 1e6, args.rounds)
        learning(Path(folder), args.mb * 1e6, args.rounds)


if __name__ == "__main__":
    main()
