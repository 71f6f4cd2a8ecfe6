"""Fuzz both text parsers: valid files, mutated, against the twins; and tables, for crashes.

A few seconds in the suite; longer on demand::

    NOVIKOFF_FUZZ_SECONDS=300 NOVIKOFF_FUZZ_SEED=1 pytest -s tests/test_fuzz_readers.py

Each case is one file, which is parsed whole, with bad lines skipped and not, cut into small pieces,
and as a stream; all of it has to agree with the twin. The seed is in the message of a failure.

Run so far: 245 s on svmlight and 365 s on Vowpal Wabbit text, at about 250 files a second, seeds 7,
11 and 23. No file was found on which parser and twin differ.
"""

import io
import os
import random
import sys
import time
from decimal import Decimal

import numpy as np
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
from scipy import sparse

from novikoff.data import read, sparse_text, stream
from novikoff.errors import FileError
from test_readers import joined, require_svmlight_twin, require_vowpal_twin, same

SECONDS = float(os.environ.get("NOVIKOFF_FUZZ_SECONDS", "4"))
SEED = int(os.environ.get("NOVIKOFF_FUZZ_SEED", "0"))

NUMBERS = [
    *("1", "-1", "+1", "0", "-0", "0.5", ".5", "5.", "1e3", "1E-3", "2.5e+10", "1e308", "1e-320"),
    *("123456789012345678901234567890", "9007199254740993", "1e23", "0.1", "1e309", "1e-400"),
]
TOKENS = [
    *NUMBERS,
    *(
        "nan",
        "inf",
        "-inf",
        "1e",
        "1e+",
        "0x1",
        "1_0",
        "--1",
        "1,5",
        "",
        ":",
        "::",
        "|",
        "||",
        "'",
        "#",
    ),
    *(
        "qid:",
        "qid:7",
        "\r",
        "\r\n",
        "\n",
        "\n\n",
        "\t",
        " ",
        "\0",
        "\x0b",
        "é",
        "\x7f",
        "2147483648",
    ),
    *("\r", "\r", "\r ", " \r", " -0.5 ", " -0.5 |", " 2 ", " 3 "),
    *("9223372036854775806", "9223372036854775807", "99999999999999999999", "00001", "1:1", "a:1"),
]


LABELS = ["1", "-1", "+1", "0.5"]
WORDS = ["cat", "dog", "é", "a-b", "12"]


def svmlight_file(pick):
    lines, labels = [], pick.choice([LABELS, WORDS])
    for _ in range(pick.randrange(1, 6)):
        words = [pick.choice(labels)]
        if pick.random() < 0.1:
            words.append(f"qid:{pick.randrange(10)}")
        indices = sorted(pick.sample(range(pick.choice([0, 1, 1]), 50), pick.randrange(6)))
        words += [f"{i}:{pick.choice(NUMBERS[:-2])}" for i in indices]
        lines.append(
            pick.choice([" ", " ", "\t", "  "]).join(words) + pick.choice(["", "", "", " # c:1"])
        )
    return lines


def vowpal_file(pick):
    lines, labels = [], pick.choice([LABELS, WORDS])
    for _ in range(pick.randrange(1, 6)):
        rest = pick.choice([" ", " ", " 2 ", " 0.5 'tag", " 'tag ", " 1 touching"])
        line = pick.choice(labels) + rest
        for _ in range(pick.randrange(1, 4)):
            line += "|" + pick.choice(["", "a", "ns:2", "7", "é"])
            for _ in range(pick.randrange(5)):
                name = pick.choice(["x", "y", "zebra", "12", "0", "long_feature^name", "é"])
                line += " " + name + pick.choice(["", "", f":{pick.choice(NUMBERS[:-2])}"])
            line += pick.choice(["", " "])
        lines.append(line)
    return lines


def mutated(text, pick):
    """A file with a few bytes or tokens put in, taken out, doubled or changed."""
    text = bytearray(text)
    for _ in range(pick.choice([0, 1, 1, 1, 2, 3, 8])):
        place = pick.randrange(len(text) + 1)
        match pick.randrange(6):
            case 0:
                text[place:place] = pick.choice(TOKENS).encode()
            case 1:
                del text[place : place + pick.choice([1, 1, 2, 5])]
            case 2:
                text[place : place + 1] = bytes([pick.randrange(256)])
            case 3:
                text[place : place + pick.randrange(4)] = pick.choice(TOKENS).encode()
            case 4:
                text[place:place] = text[place : place + pick.randrange(12)]
            case _:
                del text[place:]
    return bytes(text)


@pytest.mark.heavy
@pytest.mark.parametrize("format", ["svmlight", "vw"])
def test_mutated_files(format, monkeypatch):  # noqa: A002
    make = svmlight_file if format == "svmlight" else vowpal_file
    check = require_svmlight_twin if format == "svmlight" else require_vowpal_twin
    known = {"n_features": 2**63 - 1, "zero_based": True} if format == "svmlight" else {"bits": 5}
    end, cases = time.monotonic() + SECONDS, 0
    while time.monotonic() < end or cases < 50:
        seed = f"{SEED}-{cases}"
        pick = random.Random(seed)
        text = mutated(pick.choice(["\n", "\n", "\r\n"]).join(make(pick)).encode(), pick)
        labels = pick.choice(["required", "optional"])
        try:
            check(text, labels)
            options = {"format": format, "labels": labels, "bad_lines": "skip", **known}
            pieces_do_not_show(text, options, pick, monkeypatch)
        except BaseException as error:
            error.add_note(f"seed {seed!r}, labels={labels!r}: {text!r}")
            raise
        cases += 1
    sys.stdout.write(f"{format}: {cases:,} files in {SECONDS:.0f} s\n")


def pieces_do_not_show(text, options, pick, monkeypatch):
    """The same rows in one piece, in many, and as a stream; or the same error."""
    with monkeypatch.context() as patch:
        results = []
        block_bytes = pick.choice([1, 5, 17, 60])
        for work in (
            lambda: read(io.BytesIO(text), **options),
            lambda: (
                patch.setattr(sparse_text, "PIECE", pick.choice([1, 9, 30]))
                or read(io.BytesIO(text), n_jobs=2, **options)
            ),
            lambda: joined(stream(io.BytesIO(text), block_bytes=block_bytes, **options)),
        ):
            try:
                results.append(work())
            except FileError as error:
                results.append(str(error))
    first, *others = results
    for other in others:
        if isinstance(first, str) or isinstance(other, str):
            assert first == other
        else:
            assert same(first, other)
            assert first.skipped == other.skipped
            assert first.next == other.next


# ------------------------------------------------------------- tables


def table(pick):
    """A table of one of everything that a file may have."""
    n = pick.randrange(1, 6)
    label = [pick.choice(["yes", "no", "perhaps"]) for _ in range(n)]
    label = pyarrow.array(label, pick.choice([pyarrow.string(), pyarrow.large_string()]))
    columns = {
        "a": pyarrow.array([pick.random() for _ in range(n)]),
        "b": pyarrow.array([pick.choice([None, 3, -(2**40)]) for _ in range(n)], pyarrow.int64()),
        "c": pyarrow.array([pick.random() < 0.5 for _ in range(n)]),
        "d": pyarrow.array([Decimal(pick.randrange(1000)) for _ in range(n)]),
        "e": pyarrow.array([float(pick.randrange(3)) for _ in range(n)]).dictionary_encode(),
        "label": label.dictionary_encode() if pick.random() < 0.5 else label,
    }
    some = pick.sample(list(columns)[:-1], pick.randrange(1, 5))
    return pyarrow.table({name: columns[name] for name in [*some, "label"]})


def written(made, format, pick):  # noqa: A002
    content = io.BytesIO()
    if format in ("npy", "npz"):
        X = np.array([[pick.random() for _ in range(4)] for _ in range(made.num_rows)])
        X = X.astype(pick.choice([float, np.float32, np.int8]))
        if format == "npy":
            np.save(content, X)
        elif pick.random() < 0.5:
            sparse.save_npz(content, sparse.csr_array(X), compressed=pick.random() < 0.5)
        else:
            save = pick.choice([np.savez, np.savez_compressed])
            save(content, X=X, y=made["label"].to_numpy().astype(str), names=np.array(list("abcd")))
    elif format == "parquet":
        compression = pick.choice(["none", "snappy", "gzip"])
        pyarrow.parquet.write_table(made, content, compression=compression)
    elif pick.random() < 0.5:
        pyarrow.feather.write_feather(
            made, content, compression=pick.choice(["uncompressed", "lz4"])
        )
    else:
        with pyarrow.ipc.new_stream(content, made.schema) as stream_of_batches:
            stream_of_batches.write_table(made)
    return content.getvalue()


@pytest.mark.heavy
@pytest.mark.parametrize("format", ["parquet", "arrow", "npy", "npz"])
def test_mutated_tables(format):  # noqa: A002
    """They are read, or a `FileError` says what is wrong; nothing crashes."""
    end, cases, sound = time.monotonic() + SECONDS / 2, 0, 0
    while time.monotonic() < end or cases < 50:
        pick = random.Random(f"{SEED}-{cases}")
        content = bytearray(written(table(pick), format, pick))
        for _ in range(pick.choice([0, 1, 1, 1, 2, 8])):
            place = pick.randrange(len(content))
            width = pick.choice([1, 1, 4, 8])
            number = pick.choice([0, 1, 255, 3000, 2**30, 2**63 - 1, pick.getrandbits(64)])
            content[place : place + width] = number.to_bytes(8, "little")[:width]
        if pick.random() < 0.1:
            del content[pick.randrange(len(content)) :]
        try:
            data = read(io.BytesIO(content), format=format, bad_lines="skip", labels="optional")
        except FileError:
            pass
        except BaseException as error:
            error.add_note(f"seed '{SEED}-{cases}': {bytes(content)!r}")
            raise
        else:
            sound += data.y is None or len(data.y) == data.X.shape[0]
        cases += 1
    assert sound > 0
    sys.stdout.write(f"{format}: {cases:,} files, {sound:,} of them read\n")
