"""The page on accuracy says of its numbers what they are, and keeps its prose."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
made = runpy.run_path(str(ROOT / "benchmarks" / "accuracy_page.py"), run_name="accuracy_page")
PAGE = (ROOT / "docs" / "accuracy.md").read_text()

ROWS = """
## small: 10 x 2, 2 classes

| learner | default: error | seconds | tuned: error | seconds | tuned to |
|---|---|---|---|---|---|
| `Perceptron` | 7.50% | 3.00 s | 5.00% | 0.10 s | max_iter=3 |
| `Winnow` | does not learn this: Winnow needs 0/1 features | | | | |
| `SGDClassifier` | 6.00% | 0.50 s | 6.00% | 0.50 s | alpha=1e-06 |
| `LinearSVC` | 5.00% | 2.00 s | 5.50% | 2.00 s | C=0.1 |
"""


def test_the_comparison_is_that_of_the_tables():
    assert made["rewritten"](PAGE, made["sections_of"](PAGE)) == PAGE


def test_what_is_worse_and_slower_is_told():
    text = made["comparison"](ROWS)
    assert "| `Perceptron` | **+2.50** |" in text
    assert "| `Perceptron` | -0.50 |" in text
    assert "| the best of theirs | LinearSVC 5.00% |" in text
    assert "- small: `Perceptron` 3.00 s, against 2.00 s" in text
    assert "Winnow" not in text


def test_new_numbers_leave_the_prose():
    page = made["rewritten"](PAGE, ROWS)
    prose = PAGE.partition(made["MARK"])[0]
    assert page.startswith(prose)
    assert "## mnist" not in page
    assert made["rewritten"](page, made["sections_of"](page)) == page
    with pytest.raises(SystemExit, match="lost its mark"):
        made["rewritten"](prose, ROWS)
