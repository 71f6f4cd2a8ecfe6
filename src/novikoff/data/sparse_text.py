"""svmlight and Vowpal Wabbit text as CSR matrices: which columns there are, and where to begin.

An svmlight file does not say whether its indices start at 0 or at 1, nor how many features
there are. Read whole, it shows both. As a stream it has to be read once beforehand, unless told.
"""

from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import numpy as np
from scipy import sparse

from novikoff.data.blocks import Held, Place, Text, blocks
from novikoff.data.lines import Rule
from novikoff.data.opening import Pipe, PlainFile, open_source
from novikoff.data.options import Blocks, Data, Options, Skipped, require_examples
from novikoff.data.parsing import INT32_MOST, Found, parse_text
from novikoff.data.svmlight import MOST_INDEX
from novikoff.errors import ParameterError


def rule_of(options: Options) -> Rule:
    """What is asked of a line. An index of unknown base is taken to start at 1 until a 0 comes."""
    skip, unlabelled = options.bad_lines == "skip", options.labels == "optional"
    if options.format == "vw":
        most = 2**options.bits - 1
        return Rule(0, most, most, 0, unlabelled, skip)
    base = 0 if options.zero_based is True else 1
    least = 1 if options.zero_based is False else 0
    most = MOST_INDEX if options.n_features is None else options.n_features - 1 + base
    return Rule(least, most, most, base, unlabelled, skip)


def read_text(source: PlainFile | Pipe, options: Options) -> Data:
    """All of a text."""
    with ThreadPoolExecutor(options.threads) as pool:
        if isinstance(source, PlainFile):
            found, base = whole_text(source, options, pool)
        else:
            found, base = whole_text(Held(source.read_all(), source.name), options, pool)
    source.require_unchanged()
    require_examples(source.name, len(found.y), found.skipped)
    return as_data(found, width(options, found.most - base + 1), Place(), base)


def whole_text(text: Text, options: Options, pool: Executor) -> tuple[Found, int]:
    """The rows of a text, and what its indices start at."""
    rule = rule_of(options)
    found = parse_text(text, Place(), text.size, options, rule, pool)
    if options.format == "vw" or options.zero_based != "auto" or found.least > 0:
        return found, rule.base
    if options.n_features is not None and found.most >= options.n_features:
        return whole_text(text, replace(options, zero_based=True), pool)  # which says where
    np.add(found.indices, 1, out=found.indices)
    return found, 0


def width(options: Options, seen: int) -> int:
    """How many columns there are, `seen` being one more than the greatest index."""
    if options.format == "vw":
        return int(2**options.bits)
    return max(seen, 1) if options.n_features is None else options.n_features


def as_data(found: Found, n_features: int, start: Place, base: int) -> Data:
    """The rows as a matrix of so many columns."""
    small = len(found.data) <= INT32_MOST and found.indices.dtype == np.int32
    indptr = np.zeros(len(found.lengths) + 1, np.int32 if small else np.int64)
    np.cumsum(found.lengths, out=indptr[1:])
    shape = (len(found.y), n_features)
    X = sparse.csr_array((found.data, found.indices, indptr), shape=shape, copy=False)
    X.has_canonical_format = True
    return Data(
        X,
        found.y,
        weight=found.weight,
        tags=found.tags,
        skipped=found.skipped,
        start=start,
        next=found.next,
        base=base,
    )


def stream_text(source: PlainFile | Pipe, options: Options, start: Place) -> Blocks:
    """A text, block by block."""
    with ThreadPoolExecutor(options.threads) as pool:
        if options.format == "svmlight":
            options = surveyed(source, options, pool)
        n_rows, line, skipped = 0, start.line, Skipped()
        for text, first, stop in blocks(source, options.block_bytes, start):
            here = Place(first, line)
            rule = rule_of(options)
            found = parse_text(text, here, stop, options, rule, pool)
            yield as_data(found, width(options, found.most + 1), here, rule.base)
            n_rows, line, skipped = n_rows + len(found.y), found.next.line, skipped + found.skipped
    if start.offset == 0:
        require_examples(source.name, n_rows, skipped)


def surveyed(source: PlainFile | Pipe, options: Options, pool: Executor) -> Options:
    """The options with the base of the indices and the number of features filled in."""
    if options.zero_based != "auto" and options.n_features is not None:
        return options
    if source.path is None:
        raise ParameterError(
            f"{source.name} can be read only once, so a stream of it cannot find out how many "
            "features it has and whether their indices start at 0 or 1: give n_features, and "
            "zero_based as True or False."
        )
    least, most, line = 2**63 - 1, -1, 1
    lenient = replace(options, n_features=None)
    rule = rule_of(lenient)
    with closing(open_source(source.path)) as again:
        for text, first, stop in blocks(again, options.block_bytes, Place()):
            found = parse_text(text, Place(first, line), stop, lenient, rule, pool)
            least, most, line = min(least, found.least), max(most, found.most), found.next.line
    zero_based = options.zero_based if options.zero_based != "auto" else least == 0
    return replace(options, zero_based=zero_based, n_features=width(options, most + zero_based))
