"""What a run came to: the file of its model, and a few lines for people."""

import json
import sys
import time
from argparse import Namespace
from typing import Any

import numpy as np

from novikoff.cli import say
from novikoff.cli.data_file import Reading, as_json as reading_as_json
from novikoff.cli.evaluation.held_out import Estimate
from novikoff.cli.model_file import Model
from novikoff.cli.text import counted, named_classes, outward, tell_skipped
from novikoff.data.results import Skipped
from novikoff.learners.additive import Additive
from novikoff.learners.kernels.machine import DualLearner
from novikoff.learners.sequences.perceptron import SequencePerceptron
from novikoff.max_margin.estimator import MaxMargin
from novikoff.store import save


def finish(
    model: Model,
    names: list[str] | None,
    reading: Reading,
    skipped: Skipped,
    n_examples: int,
    arguments: Namespace,
    estimate: Estimate | None = None,
) -> None:
    """Write the model, say which lines were left out, and what the run came to."""
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    if reading.get("format") == "vw":
        model.feature_hash_ = {"bits": reading.get("bits", 18)}
    extra = {
        "reading": reading_as_json(reading, "n_jobs", "bad_lines"),
        "bad_lines": skipped.n_lines,
        "examples": n_examples,
    }
    save(model, arguments.output, extra=extra | (estimate.extra() if estimate else {}))
    tell_skipped(skipped)
    seconds = time.monotonic() - arguments.started
    if arguments.json:
        told = {"model": arguments.output, "seconds": round(seconds, 3), "examples": n_examples}
        told |= {"bad_lines": skipped.n_lines} | figures(model)
        print(json.dumps(told | ({"held_out": estimate.as_json()} if estimate else {})))
    elif not arguments.quiet:
        of = f"{type(model).__name__} of {named_classes(model.classes_)}"
        measured = [estimate.line()] if estimate else []
        print(f"{of}, {seconds:.1f} s", *learned(model), *measured, sep="\n", file=sys.stderr)


def figures(model: Model) -> dict[str, Any]:
    """What a run came to, as JSON has it."""
    margin = getattr(model, "margin_", None)
    found = {
        "learner": type(model).__name__,
        "classes": model.classes_,
        "features": model.n_features_in_,
        "epochs": model.n_iter_,
        "converged": getattr(model, "converged_", None),
        "mistakes": getattr(model, "n_mistakes_", None),
        "mistakes_by_epoch": getattr(model, "mistakes_", None),
        "updates": getattr(model, "n_updates_", None),
        "mistake_bound": getattr(model, "mistake_bound_", None),
        "margin": None if margin is None else [margin.lower, margin.upper],
    }
    return {name: as_json(value) for name, value in found.items()}


def as_json(value: Any) -> Any:
    """A number, a text or an array as JSON has it; null for infinity and for what is not there."""
    plain = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    if isinstance(plain, list):
        return [as_json(each) for each in plain]
    return None if isinstance(plain, float) and not np.isfinite(plain) else plain


def learned(model: Model) -> list[str]:
    """What margin was found, or how many mistakes were made and what that proves or calls for."""
    if isinstance(model, MaxMargin):
        on_it = counted(len(model.support_), "example")
        return [f"margin {' to '.join(outward(model.margin_))}, {on_it} on it or inside"]
    tagger = isinstance(model, SequencePerceptron)  # whose mistakes are those of whole sentences
    n = model.n_mistakes_
    wrong = f"got {counted(n, 'sentence')} wrong" if tagger else f"made {counted(n, 'mistake')}"
    made = f"{wrong} in {counted(model.n_iter_, 'epoch')}"
    if model.converged_:
        bound = getattr(model, "mistake_bound_", float("inf"))
        force = f"; no order of these examples can force more than {bound:,.0f}"
        return [f"{made}, none in the last{force if bound < float('inf') else ''}"]
    if model.n_iter_ == 1:  # one pass is not meant to end well
        return [made]
    last = model.mistakes_[-1]
    if not last:
        return [f"{made}, none in the last, which still learned from right answers"]
    told = [f"{made}, {last:,} of them in the last"]
    if tagger:
        better = "more --epochs will get all sentences right, if any weights do"
        return told if model.averaged or model.beam else [*told, better]
    if isinstance(model, DualLearner):
        advice = "more --epochs may find a separator, and so may another --kernel or --gamma"
    else:
        will = "will" if isinstance(model, Additive) else "may"
        advice = (
            f"more --epochs {will} find a separator if there is one, and `novikoff certify` tells "
            "whether there is"
        )
    return [*told, advice]


def tell_so_far(where: str, output: str, number: int) -> int:
    """Say that the model of a run that was stopped is there; the status of that signal."""
    place = "went to standard output" if output == "-" else f"is in {output}"
    say(f"stopped {where}; the model so far {place}.")
    return 128 + number
