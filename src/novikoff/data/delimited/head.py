"""What the beginning of a delimited text says: its delimiter, decimal mark, names and plan."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import pyarrow
import pyarrow.csv

from novikoff.data import text_blocks
from novikoff.data.delimited.records import Record, ends_of, is_regular, records
from novikoff.data.opener import Opened
from novikoff.data.reader_options import Options
from novikoff.data.tables.columns import each_of
from novikoff.data.tables.layout import LABEL, Layout, Table, layout_of
from novikoff.data.tables.look import MOSTLY, words_of
from novikoff.data.tables.numerals import BARE, BLANKS, Numbers
from novikoff.errors import FileError

DELIMITERS = b"\t", b";", b",", b"|"
MARK = b"\xef\xbb\xbf"  # of UTF-8, which some programs put first
WIDE_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
LOOK = 2**22
"""From so many bytes the plan of a table is settled."""
GLANCE, FEW, MANY = 2**16, 100, 1000
"""In how many bytes, and how many records, the delimiter is looked for; in how many a name."""


class Sheet(NamedTuple):
    """What is known of a CSV file from its first records."""

    table: Table
    header: int
    """How many bytes the names take, with all before them; 0 without names."""
    header_lines: int
    text_labels: bool
    delimiter: bytes
    numbers: Numbers
    has_rows: bool
    """Is there anything after the names?"""


def sheet_of(source: Opened, options: Options) -> Sheet:
    """What the first records of a file say; all of it is settled if the options have the plan."""
    settled = options.settled_plan
    head = beginning(source, options, whole_look=settled is None)
    mark = len(MARK) if head.startswith(MARK) else 0
    require_utf8(source.name, head)
    delimiter = (options.delimiter or sniffed(head, mark, source.name)).encode()
    if options.decimal == delimiter.decode():
        raise FileError(
            source.name,
            "found commas between the columns, expected another delimiter, since {decimal=} was "
            "given: separate the columns by semicolons, or write numbers with a point",
            decimal=options.decimal,
        )
    first = next((r for r in records(head, delimiter, mark) if not is_blank(r, head)), None)
    if first is None:
        raise FileError(source.name, "found no examples, expected at least one")
    named = has_names(head, first, delimiter, options)
    leader = options.leader
    follows = leader if leader is not None and leader.path != source.name else None
    if follows and named != follows.has_names:
        found, wanted = ("names", "none") if named else ("no names", "them")
        raise FileError(
            source.name,
            f"found {found} of columns in its first line, expected {wanted} as in {follows.path}",
            line=1,
        )
    words = [word.decode("utf-8", "backslashreplace") for _, word in first.fields]
    start = first.start
    if named:
        if stray := stray_byte(head[first.start : first.stop]):
            raise fault_at(source.name, head, first.start + stray[1], 1, stray[0])
        start = first.stop
    layout = layout_of(words if named else None, len(words), options, source.name)
    numbers, columns = Numbers(options.decimal or "."), []
    doubtful = options.decimal is None and delimiter != b","
    if settled is None or doubtful:
        columns = as_columns(head[start:], delimiter, layout.n_columns)
    if doubtful:
        features = [columns[j] for j in layout.features]
        usual = Numbers(settled.decimal_) if settled is not None else None
        numbers = decimal_of(features, usual, has_commas=usual is None and delimiter == b";")
    header = start if named else 0
    return Sheet(
        Table.settled(layout, columns, options, source.name, numbers.decimal),
        header,
        head[:header].count(b"\n") + (header == len(head) and not head.endswith(b"\n")),
        follows.text_labels
        if follows
        else has_text_labels(head, start, delimiter, layout, options),
        delimiter,
        numbers,
        re.compile(rb"\S").search(head, start) is not None,
    )


def beginning(source: Opened, options: Options, *, whole_look: bool) -> bytes:
    """So much of the file as has to be looked at, in whole records if it has two.

    What somebody is still writing to is not waited for longer than its first block takes.
    """
    look = min(LOOK, options.block_bytes) if source.may_wait else LOOK
    least = look if whole_look else 0

    def end_of_two(head: bytes) -> int:
        """Where the second record ends that is not blank; 0 if there is none."""
        own = (options.delimiter or sniffed(head[:GLANCE], 0, source.name)).encode()
        whole = head[: ends_of(own).last(head)]
        found = (r.stop for r in records(whole, own) if not is_blank(r, whole))
        return next(islice(found, 1, None), 0)

    head = source.peek_until(
        lambda text: len(text) >= least and end_of_two(text) > 0, text_blocks.LONGEST_LINE
    )
    two = end_of_two(head)
    if two and source.may_wait and not whole_look:  # whatever has arrived of the others
        return head[:two]
    if not two or len(head) < look:
        return head
    own = (options.delimiter or sniffed(head[:GLANCE], 0, source.name)).encode()
    return head[: max(ends_of(own).last(head[:look]), two)]


def is_blank(record: Record, text: bytes) -> bool:
    """Is it a line with nothing in it?"""
    return not text[record.start : record.stop].strip()


def require_utf8(name: str, head: bytes) -> None:
    """Raise an error for text in another encoding that says so at its start."""
    encoding = WIDE_MARKS.get(head[:2])
    if encoding:
        raise FileError(
            name,
            f"found text in {encoding}, expected UTF-8: save it as UTF-8, or convert it "
            f"(iconv -f {encoding} -t UTF-8)",
        )


def sniffed(head: bytes, start: int, name: str) -> str:
    """The delimiter that gives the most records one number of fields, more than one."""
    best, share = b",", 0.0
    if name.lower().endswith((".tsv", ".tab")):
        return "\t"
    for delimiter in DELIMITERS:
        first = islice(records(head, delimiter, start), FEW)
        counts = Counter(len(r.fields) for r in first if not is_blank(r, head))
        (n, times), *_ = counts.most_common(1) or [(1, 0)]
        own = times / max(counts.total(), 1)
        if n > 1 and own > share:
            best, share = delimiter, own
    return best.decode()


def has_names(head: bytes, first: Record, delimiter: bytes, options: Options) -> bool:
    """Does the first record have the names of the columns?"""
    words = [word.decode("utf-8", "backslashreplace") for _, word in first.fields]
    lists = (*each_of(options.ignore, None), *each_of(options.keep, None))
    told = (options.label, options.weight, *lists)
    plan = options.settled_plan
    if plan is not None and any(isinstance(column.name, str) for column in plan.columns_):
        return LABEL in words or any(n in words for n in (*told, *(c.name for c in plan.columns_)))
    if LABEL in words or any(isinstance(column, str) for column in told):
        return True
    if any(BARE.fullmatch(word.strip()) for word in words):
        return False
    if plan is not None:
        return False
    own = [word for _, word in first.fields]
    later = islice(records(head, delimiter, first.stop), MANY)
    return not any(
        word and word == there
        for record in later
        for word, (_, there) in zip(own, record.fields, strict=False)
    )


def has_text_labels(
    head: bytes, start: int, delimiter: bytes, layout: Layout, options: Options
) -> bool:
    """Is the first label no number?"""
    if layout.label is None:
        return False
    for record in records(head, delimiter, start):
        if not is_blank(record, head):
            if len(record.fields) <= layout.label:
                return False
            word = record.fields[layout.label][1].decode("utf-8", "backslashreplace").strip()
            return not BARE.fullmatch(word) and (word != "" or options.labels == "required")
    return False


def as_columns(text: bytes, delimiter: bytes, n_columns: int) -> list[Any]:
    """The columns of a text as text; records of another number of fields are left out."""
    names = [str(j) for j in range(n_columns)]
    kinds = dict.fromkeys(names, pyarrow.string())
    if text.strip() and is_regular(text, delimiter):
        try:
            table = arrow_table(text, delimiter, names, kinds, ".")
            return list(table.columns)
        except pyarrow.ArrowInvalid:
            pass
    rows = [
        [word.decode("utf-8", "backslashreplace") for _, word in record.fields]
        for record in records(text, delimiter)
        if len(record.fields) == n_columns and not is_blank(record, text)
    ]
    return [pyarrow.array([row[j] for row in rows], pyarrow.string()) for j in range(n_columns)]


def arrow_table(
    text: bytes,
    delimiter: bytes,
    names: list[str],
    kinds: dict[str, Any],
    decimal: str,
) -> Any:
    """A text as Arrow reads it, or an `ArrowInvalid`."""
    numbers = any(pyarrow.types.is_floating(kind) for kind in kinds.values())
    return pyarrow.csv.read_csv(
        pyarrow.py_buffer(text),
        read_options=pyarrow.csv.ReadOptions(column_names=names, use_threads=False),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=delimiter.decode(), newlines_in_values=b'"' in text
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=kinds,
            null_values=sorted(BLANKS) if numbers else [],
            strings_can_be_null=False,
            decimal_point=decimal,
        ),
    )


def decimal_of(columns: Sequence[Any], usual: Numbers | None, *, has_commas: bool) -> Numbers:
    """How most columns have numbers in them; as usual if that cannot be said.

    A file with semicolons between its values probably has decimal commas. There, 1,101 is rather a
    number with decimals than one with a separator of thousands, and so is 1.101.
    """
    found = [words_of(column.slice(0, MANY)).filled for column in columns]

    def score(written: Numbers) -> tuple[int, int]:
        shares = [(w.share(written.allows), w.share(written.is_bare)) for w in found if w.n > 0]
        bare = sum(share >= MOSTLY for _, share in shares) if has_commas else 0
        return sum(share >= MOSTLY for share, _ in shares), bare

    likely = Numbers("," if has_commas else ".")
    return max(usual or likely, likely, Numbers("."), Numbers(","), key=score)


def stray_byte(text: bytes) -> tuple[str, int] | None:
    """What is wrong with bytes that are no text, and where, if that is so."""
    nul = text.find(b"\0")
    if nul >= 0:
        return "found a NUL byte, expected text", nul
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = text[error.start]
        return (
            f"found the byte 0x{byte:02x}, expected text in UTF-8; it may be in Windows-1252 "
            "or Latin-1: convert it (iconv -f WINDOWS-1252 -t UTF-8)"
        ), error.start
    return None


def fault_at(name: str, block: bytes, at: int, line: int, what: str) -> FileError:
    """An error at a place in a block whose first line has this number."""
    start = block.rfind(b"\n", 0, at) + 1
    number = line + block.count(b"\n", 0, start)
    return FileError(name, what, line=number, column=at - start + 1)
