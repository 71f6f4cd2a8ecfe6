"""What docs/accuracy.md says of its own numbers: where ours are worse, and where slower.

    python -m benchmarks.accuracy_page    # makes the comparison again, from the tables on the page

Above the mark the page is written by hand; all below it is made.
"""

import re
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).parent.parent / "docs" / "accuracy.md"
MARK = "<!-- made by benchmarks.accuracy, from here on -->\n"
THEIRS = ("SGDClassifier", "LinearSVC", "LogisticRegression")

SECTION = re.compile(r"^## (\S+): .*\n\n(?:\|.*\n)+", re.M)
ROW = re.compile(
    r"^\| `(\w+)` \| ([\d.]+)% \| ([\d.]+) s \| ([\d.]+)% \| ([\d.]+) s \| .*\|$", re.M
)


class Cell(NamedTuple):
    """A learner on a set: test error in percent and seconds to fit."""

    error: float
    seconds: float


Numbers = dict[str, tuple[dict[str, Cell], dict[str, Cell]]]


def numbers(sections: str) -> Numbers:
    """By the name of the set, what each learner did with its defaults, and tuned."""
    found: Numbers = {}
    for section in SECTION.finditer(sections):
        default, tuned = {}, {}
        for name, *values in ROW.findall(section[0]):
            error, seconds, better, then = map(float, values)
            default[name], tuned[name] = Cell(error, seconds), Cell(better, then)
        if any(name in default for name in THEIRS):
            found[section[1]] = default, tuned
    return found


def best(cells: dict[str, Cell]) -> str:
    """The most accurate of theirs; of equals, the fastest."""
    return min((name for name in THEIRS if name in cells), key=cells.__getitem__)


def compared(told: Numbers, which: int, caption: str) -> list[str]:
    """A table of learners and sets: points of error more, or less, than the best of theirs."""
    names = dict.fromkeys(name for both in told.values() for name in both[which])
    lines = [f"| {caption} | {' | '.join(told)} |", "|---" * (len(told) + 1) + "|"]
    for name in (n for n in names if n not in THEIRS):
        cells = []
        for both in told.values():
            own, other = both[which].get(name), both[which][best(both[which])]
            gap = None if own is None else round(own.error - other.error, 2)
            shown = "" if gap is None else f"{gap + 0.0:+.2f}" if gap else "0"
            cells.append(f"**{shown}**" if gap is not None and gap > 0 else shown)
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    reference = [both[which][best(both[which])] for both in told.values()]
    named = [
        f"{best(both[which])} {c.error:.2f}%"
        for both, c in zip(told.values(), reference, strict=True)
    ]
    return [*lines, f"| the best of theirs | {' | '.join(named)} |"]


def slower(told: Numbers) -> list[str]:
    """A line for each of ours that took longer, with defaults, than the most accurate of theirs."""
    lines = []
    for place, (default, _) in told.items():
        other = default[best(default)]
        late = [
            f"`{name}` {cell.seconds:.2f} s"
            for name, cell in default.items()
            if name not in THEIRS and cell.seconds > max(other.seconds, 1.0)
        ]
        if late:
            lines.append(f"- {place}: {', '.join(late)}, against {other.seconds:.2f} s")
    return lines


def comparison(sections: str) -> str:
    """What the tables say of ours beside theirs."""
    told = numbers(sections)
    parts = [
        "## Ours beside theirs",
        "",
        "Points of test error more (**+**, ours are worse) or less (-) than the most accurate of "
        "scikit-learn's three in the",
        "same column of the tables below. An empty cell: the learner does not learn this.",
        "",
        *compared(told, 0, "with defaults"),
        "",
        *compared(told, 1, "tuned"),
        "",
        "Slower, with defaults, than the most accurate of theirs (and slower than a second):",
        "",
        *slower(told),
        "",
    ]
    return "\n".join(parts)


def rewritten(page: str, sections: str) -> str:
    """The page with new tables, and the prose that was there."""
    prose, mark, _ = page.partition(MARK)
    if not mark:
        raise SystemExit(f"docs/accuracy.md has lost its mark, {MARK.strip()}: put it back.")
    sections = sections.strip("\n") + "\n"
    return f"{prose}{MARK}\n{comparison(sections)}\n{sections}"


def sections_of(page: str) -> str:
    """The tables of the sets as they are on the page."""
    return "\n".join(found[0] for found in SECTION.finditer(page.partition(MARK)[2]))


if __name__ == "__main__":
    text = PAGE.read_text()
    PAGE.write_text(rewritten(text, sections_of(text)))
