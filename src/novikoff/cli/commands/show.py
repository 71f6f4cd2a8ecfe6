"""`novikoff show`."""

import json
from argparse import Namespace
from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, overload

import novikoff
from novikoff.cli import DONE
from novikoff.cli.conflicts import refuse
from novikoff.cli.options import COUNT, READING, ask_reading
from novikoff.cli.parser import A_MODEL, Parser
from novikoff.cli.text import counted, named_classes, named_feature

if TYPE_CHECKING:
    from novikoff.cli.model_file import Model

TOP, WIDTH = 10, 100


def options(parser: Parser) -> None:
    """What can be asked."""
    parser.reads("model", "MODEL", A_MODEL)
    top = f"show the N largest weights (default: {TOP}; of a tagger, {TOP // 2} per label and sign)"
    parser.ask("--top", top, COUNT)
    effect = "also report what a standard deviation of each feature does in these examples"
    parser.reads("--data", "FILE", effect)
    parser.ask("--json", "print JSON", action="store_true")
    ask_reading(parser, title="reading FILE (default: as the training data of the model)")
    parser.examples = (
        "novikoff show my.model",
        "novikoff show my.model --top 20 --data test.csv",
    )


class Names(Sequence[str]):
    """What the features are called, one at a time: there may be many millions."""

    def __init__(self, names: list[str] | None, base: int, n: int) -> None:
        self.names, self.base, self.n = names, base, n

    def __len__(self) -> int:
        return self.n

    @overload
    def __getitem__(self, j: int) -> str: ...

    @overload
    def __getitem__(self, j: slice) -> "Names": ...

    def __getitem__(self, j: Any) -> Any:
        return named_feature(self.names, self.base, int(j))


def run(arguments: Namespace) -> int:
    """Print what a model is."""
    import numpy as np

    from novikoff.cli.model_file import ModelFile
    from novikoff.cli.tagger import is_tagger, show_sequences

    if arguments.data is None:
        why = "has no meaning here: without --data nothing is read but the model."
        refuse(arguments, READING, why)
    if arguments.json:
        why = "has no meaning beside --json, which prints all there is."
        refuse(arguments, ("top", "data"), why)
    trained = ModelFile.load(arguments.model)
    model, told = trained.model, trained.header
    tagger = is_tagger(trained)
    if tagger:
        why = "has no meaning here: this model labels sequences, whose features have no deviations."
        refuse(arguments, ("data",), why)
    if arguments.json:
        print(json.dumps(told, indent=2, default=str))
        return DONE
    if model.classes_.dtype.kind == "f":  # 1 and not 1.0, as in the file
        model.classes_ = np.array([int(c) if c == int(c) else c for c in model.classes_], object)
    base = int(told["extra"].get("reading", {}).get("zero_based") is False)  # as in the file
    called = Names(trained.names, base, model.n_features_in_)
    X = None
    if arguments.data is not None:
        X = trained.read(trained.data(arguments)).X
    tell_training(model, told)
    if tagger:
        show_sequences(model, arguments.top or TOP // 2)
        return DONE
    if not hasattr(model, "intercept_"):  # a kernel machine has no weights of features
        return DONE
    tell_weights(model, called, arguments.top or TOP)
    print()
    print(fill(novikoff.describe(model, X, names=called), WIDTH, break_long_words=False))
    return DONE


def tell_training(model: "Model", told: dict[str, Any]) -> None:
    """Print what it is and how it came about."""
    print(f"{told['learner']} of {named_classes(model.classes_)}")
    print(f"written by novikoff {told['library_version']}")
    given = {k: v for k, v in told["parameters"].items() if v is not None and k != "template"}
    how = ", ".join(f"{k}={v!r}" for k, v in given.items())
    print(f"parameters   {how}")
    for name, value in told["summary"].items():
        what = seen(model, told, value) if name in ("examples", "sequences") else value
        print(f"{name.replace('_', ' '):<12} {what}")
    if n := told["extra"].get("bad_lines"):
        print(f"bad lines    {n:,} {'was' if n == 1 else 'were'} left out")


def seen(model: "Model", told: dict[str, Any], visits: int) -> str:
    """How many examples there were, and how many visits in all passes."""
    from novikoff.learners.base import MistakeDriven

    passes = told["summary"]["passes"]
    updates = model._state.ledger.updates if isinstance(model, MistakeDriven) else None
    n = told["extra"].get("examples") if updates is None else len(updates)
    if not isinstance(n, int):
        return f"{counted(visits, 'visit')} in {passes:,} pass{'es' * (passes != 1)}"
    return f"{n:,}, and {counted(visits, 'visit')} in all passes"


def tell_weights(model: "Model", called: Names, top: int) -> None:
    """Print the bias and the largest weights."""
    import numpy as np

    from novikoff.inputs.labels import as_written

    if isinstance(model, novikoff.VotedPerceptron):
        print(f"vote         of {counted(model.n_updates_ + 1, 'hyperplane')}; the last of them:")
    print(f"bias         {', '.join(repr(float(b)) for b in model.intercept_[:TOP])}")
    W = model.coef_
    w, d = W.ravel(), W.shape[1]
    order = np.argsort(-abs(w), kind="stable")[:top]
    order = order[w[order] != 0].tolist()
    print(f"weights      {np.count_nonzero(w):,} of {len(w):,} are not 0; the largest:")
    wide = max((len(called[j % d]) for j in order), default=0)
    for j in order:
        of = f"  of {as_written(model.classes_[j // d])}" if len(W) > 1 else ""
        print(f"  {called[j % d]:<{wide}}  {float(w[j]):+.6g}{of}")
