"""A file format is a line in the table and a file of its name, and everything goes by that."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import novikoff
from commands import done
from novikoff.data import Data, feature_index, formats, load, read, stream, write
from novikoff.data.formats import FORMATS, WRITTEN, Format, Handler
from novikoff.data.reader_options import Options
from novikoff.data.results import Place
from novikoff.data.text_blocks import blocks
from novikoff.errors import FileError, ParameterError


def test_every_format_has_a_file_and_every_file_a_format():
    files = {path.stem for path in Path(formats.__file__).parent.glob("*.py")}
    assert files - {"__init__"} == set(FORMATS)
    suffixes = [suffix for line in FORMATS.values() for suffix in line.suffixes]
    assert len(suffixes) == len(set(suffixes))
    options = {name for line in FORMATS.values() for name in line.options}
    assert options <= set(Options.__dataclass_fields__)


@pytest.mark.parametrize("name", FORMATS)
def test_the_file_does_what_the_line_says(name):
    line, handler = FORMATS[name], FORMATS[name].handler("x")
    assert (handler.write is not None) == line.is_written == (name in WRITTEN)
    assert bool(line.magic) != line.is_text


def percents(source, options, start):
    for text, first, stop in blocks(source, options.block_bytes, start):
        rows = [line[1:].split(b"%") for line in text.window(first, stop).tobytes().split()]
        table = np.array(rows, float)
        yield Data(table[:, :-1], table[:, -1], start=Place(first), next=Place(stop))


def written(data, file):
    for row in np.column_stack([data.X, data.y]).tolist():
        file.write(b":" + "%".join(map(str, row)).encode() + b"\n")


def test_a_new_format_is_one_line_and_one_file(tmp_path, monkeypatch):
    module = ModuleType("novikoff.data.formats.ssv")
    module.HANDLER = Handler(percents, write=written)
    monkeypatch.setitem(FORMATS, "ssv", Format("ssv", (".ssv",), line=rb":[^%]*%.*"))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    X, y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([1.0, -1.0, 1.0])
    for name, options in (("x.ssv.gz", {}), ("x.ssv", {}), ("x", {"format": "ssv"})):
        write(tmp_path / name, X, y, **options)
        for reading in (options, {}):
            found = read(tmp_path / name, **reading)
            assert (found.X.tolist(), found.y.tolist()) == (X.tolist(), y.tolist())
            assert len([*stream(tmp_path / name, block_bytes=15, **reading)]) == 3


def test_messages_list_the_formats(tmp_path):
    (tmp_path / "x").write_bytes(b"what is this\n")
    with pytest.raises(FileError, match=f"give format, one of {', '.join(FORMATS)}$"):
        read(tmp_path / "x")
    with pytest.raises(ParameterError, match=f"one of {', '.join(WRITTEN)}.$"):
        write(tmp_path / "x", [[1.0]], [1])
    with pytest.raises(ParameterError, match="^format='xls' was given, .* one of 'svmlight', "):
        read(tmp_path / "x", format="xls")


UNCOMPILED = """
import sys
from novikoff.cli import main
from novikoff.data import feature_index

for path in sys.argv[1:]:
    assert main(["fit", path, "-o", path + ".uncompiled", "--quiet"]) == 0
print(feature_index("wings", "animal"), feature_index("9" * 30))
"""


def test_every_format_is_learned_from_uncompiled_as_well(tmp_path):
    """Warnings, which compiled code does not give, are errors."""
    X, y, _ = load("iris")
    y = (y == "setosa").astype(float)
    paths = [str(tmp_path / f"x{FORMATS[name].suffixes[0]}") for name in WRITTEN]
    for path in paths:
        write(path, X, y)
    env = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    words = [sys.executable, "-W", "error", "-c", UNCOMPILED, *paths]
    ran = subprocess.run(words, env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == [
        str(feature_index(*words)) for words in (("wings", "animal"), ("9" * 30,))
    ]
    for path in paths:
        done("fit", path, "-o", f"{path}.compiled", "--quiet")
        one, other = (novikoff.load(f"{path}.{way}") for way in ("compiled", "uncompiled"))
        assert one.coef_.tolist() == other.coef_.tolist()
        assert one.mistakes_.tolist() == other.mistakes_.tolist()
