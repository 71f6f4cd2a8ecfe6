r"""Export models for other programs: coefficients as CSV, and ONNX graphs.

A graph has one input, `X` of shape (n_samples, n_features), and two outputs: `label`, the result of
`predict`, and `score`, the result of `decision_function`. The input has the precision of the
model's weights; the arithmetic uses doubles. So a label can differ only where the score is 0 up to
rounding. A graph cannot raise an error: a NaN, or a feature other than 0 and 1 for Winnow, gets
some label, where `predict` raises one.
"""

import csv
import io
import os
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from novikoff import __version__
from novikoff.errors import ParameterError
from novikoff.files import replacing
from novikoff.learners import VotedPerceptron
from novikoff.learners.base import MistakeDriven
from novikoff.learners.kernels.machine import DualLearner
from novikoff.learners.sequences.perceptron import SequencePerceptron
from novikoff.max_margin.estimator import MaxMargin
from novikoff.typing import Array

Linear = MistakeDriven | MaxMargin

OPSET, IR_VERSION = 17, 8
"""Old enough for the runtimes of 2022 on."""

LARGEST = 2**31 - 2**20
"""A graph is a protobuf message, which ends at 2 GiB."""


def to_csv(model: Linear | DualLearner, path: str | os.PathLike[str]) -> None:
    """Write the weights of a linear model as CSV: one line per feature, bias last.

    The columns are `feature` and `weight`; with more than two classes, `feature` and one column per
    class, with its label as the header. A feature without a name has its number: from 0, or as in
    the svmlight file that `novikoff fit` read. The bias is called `(intercept)`. Weights have
    enough digits to be read back exactly, as doubles.

    Parameters
    ----------
    model : any linear learner of novikoff, or MaxMargin
        Except VotedPerceptron and SequencePerceptron, whose predictions need more than that.
    path : str or path-like
        "-" is standard output.

    Examples
    --------
    >>> from pathlib import Path
    >>> from novikoff import Perceptron, store
    >>> model = Perceptron(shuffle=False).fit([[0.0, 0.0], [1.0, 0.5]], [0, 1])
    >>> store.to_csv(model, "weights.csv")
    >>> print(Path("weights.csv").read_text(), end="")
    feature,weight
    0,1.0
    1,0.5
    (intercept),-1.0
    """
    check_is_fitted(model)
    if isinstance(model, DualLearner):
        raise ParameterError(
            f"A {type(model).__name__} was given, but it has no coefficients of features: its "
            "weights are in the feature space of a kernel. Its `dual_coef_` are of examples."
        )
    if isinstance(model, VotedPerceptron):
        raise ParameterError(
            "A VotedPerceptron was given, but a vote has no coefficients: all its hyperplanes "
            "predict. An AveragedPerceptron makes the same mistakes and has some."
        )
    _require_rows(model)
    first = getattr(model, "_first_feature", 0)
    names = getattr(model, "feature_names_in_", range(first, first + model.n_features_in_))
    with replacing(path) as file:
        # what is no text, as half a character, is written as its code
        text = io.TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="")
        lines = csv.writer(text, lineterminator="\n")
        many = len(model.coef_) > 1
        lines.writerow(["feature", *(model.classes_.tolist() if many else ["weight"])])
        weights = model.coef_.T.astype(float).tolist()
        lines.writerows([name, *row] for name, row in zip(names, weights, strict=True))
        lines.writerow(["(intercept)", *model.intercept_.astype(float).tolist()])
        text.detach()


def to_onnx(model: Linear, path: str | os.PathLike[str]) -> None:
    """Write a model as an ONNX graph that predicts the same labels.

    With more than two classes, `score` has one column per class. Needs the extra `onnx`:
    ``pip install novikoff[onnx]``.

    Parameters
    ----------
    model : any linear learner of novikoff, or MaxMargin
        Except SequencePerceptron, and VotedPerceptron with more than two classes. Labels must be
        integers, booleans, floats or strings.
    path : str or path-like
        "-" is standard output.

    Examples
    --------
    >>> import onnxruntime
    >>> from novikoff import Perceptron, store
    >>> model = Perceptron(shuffle=False).fit([[0.0], [1.0]], ["no", "yes"])
    >>> store.to_onnx(model, "model.onnx")
    >>> graph = onnxruntime.InferenceSession("model.onnx")
    >>> label, score = graph.run(None, {"X": [[-1.0], [3.0]]})
    >>> label.tolist(), score.tolist()
    (['no', 'yes'], [-3.0, 5.0])
    """
    if not isinstance(model, MistakeDriven | MaxMargin):
        raise ParameterError(
            f"A {type(model).__name__} was given, but only the linear models of novikoff are "
            "written as ONNX."
        )
    check_is_fitted(model)
    _require_rows(model)
    dtype, space, on_line = _conventions(model)
    graph, x = Graph(dtype), "X"
    if space.get("binarize") is not None:
        x = graph.op("Greater", x, graph.constant(graph.dtype.type(space["binarize"])))
    x = graph.doubles(x)
    if space.get("clip"):
        x = graph.op("Clip", x, *(graph.constant(np.float64(end)) for end in (0, 1)))
    if space.get("normalize"):
        x = graph.unit_length(x)
    labels = _labels(model.classes_)
    if len(labels) == 1:
        raise ParameterError(
            f"The model has one class only, {model.classes_.tolist()[0]!r}: let it learn another."
        )
    many = len(labels) > 2
    if isinstance(model, VotedPerceptron):
        if many:
            raise ParameterError(
                f"The vote of {len(labels)} classes is not written as ONNX, only that of two. Use "
                "an AveragedPerceptron, which makes the same mistakes."
            )
        score = _vote(graph, model, x, on_line)
    else:
        score = graph.hyperplanes(x, np.hstack([model.coef_, model.intercept_[:, None]]))
    if many:
        graph.op("Identity", score, output="score")
        best = graph.op("ArgMax", "score", axis=1, keepdims=0, select_last_index=int(on_line > 0))
        graph.op("Gather", graph.constant(labels), best, output="label")
    else:
        graph.op("Squeeze", score, graph.constant(np.array([1])), output="score")
        positive = graph.positive("score", on_line)
        if labels.dtype == bool:  # for which runtimes have no Where, and need none
            graph.op("Identity", positive, output="label")
        else:
            first, second = (graph.constant(label) for label in labels)
            graph.op("Where", positive, second, first, output="label")
    content = graph.serialized(model.n_features_in_, labels.dtype, len(labels) if many else None)
    with replacing(path) as file:
        file.write(content)


def _require_rows(model: Linear) -> None:
    """Its labels must be those of rows, one by one."""
    if isinstance(model, SequencePerceptron):
        raise ParameterError(
            "A SequencePerceptron was given, but the labels of a sequence depend on each other, "
            "which coefficients of features do not say. `novikoff show` prints the heaviest of "
            "both, and `coef_` and `transition_` are all of them."
        )


def _conventions(model: Linear) -> tuple[np.dtype[Any], dict[str, Any], int]:
    """The type of its input, what is done to rows first, and the sign of a score of 0."""
    if isinstance(model, MaxMargin):
        return model.coef_.dtype, {}, 1
    return model._state.weights.dtype, model._state.space, model._on_line()


def _vote(graph: "Graph", model: VotedPerceptron, x: str, on_line: int) -> str:
    """The share of the votes: twice those for the second class, less all, by all."""
    n_planes, n_seen = model.n_updates_ + 1, max(1, model._state.stream.n_seen)
    size = 8 * n_planes * (model.n_features_in_ + 2)
    if size > LARGEST:
        raise ParameterError(
            f"The {n_planes} hyperplanes of this vote take {size} bytes, but an ONNX graph ends at "
            f"{LARGEST}. Use an AveragedPerceptron, which makes the same mistakes."
        )
    planes, survived = zip(*model._hyperplanes(), strict=True)
    signs = graph.positive(graph.hyperplanes(x, np.concatenate(planes)), on_line)
    votes = np.concatenate(survived).astype(np.float64)
    won = graph.op("MatMul", graph.doubles(signs), graph.constant(2 * votes[:, None]))
    lead = graph.op("Sub", won, graph.constant(votes.sum()))
    return graph.op("Div", lead, graph.constant(np.float64(n_seen)))


def _labels(classes: Array) -> Array:
    """The labels, in a type that ONNX has."""
    kind = classes.dtype.kind
    if kind in "iu" and int(classes.max()) < 1 << 63:
        classes = classes.astype(np.int64)
    elif kind == "f" and classes.dtype.itemsize <= 8:
        classes = classes.astype(np.float64)
    elif kind == "U":
        classes = classes.astype(object)
    elif kind != "b":
        raise ParameterError(
            f"The classes have the type {classes.dtype}, which ONNX does not have: use integers, "
            "booleans, floats or strings as labels."
        )
    return classes


class Graph:
    """A graph that is being drawn: each method adds to it, and returns the name of a result."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        try:
            import onnx
        except ImportError as error:
            raise ParameterError(
                "Writing ONNX needs the package onnx: pip install novikoff[onnx]."
            ) from error
        self.onnx = onnx
        self.dtype = dtype
        self.nodes: list[object] = []
        self.constants: list[object] = []

    def op(self, kind: str, *inputs: str, output: str | None = None, **options: Any) -> str:
        """Add a node."""
        output = output or f"result{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [output], **options))
        return output

    def constant(self, value: npt.ArrayLike) -> str:
        """Add a constant."""
        name = f"constant{len(self.constants)}"
        array = np.asarray(value, object if isinstance(value, str) else None)
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def doubles(self, x: str) -> str:
        """The same numbers as doubles."""
        return self.op("Cast", x, to=self.onnx.TensorProto.DOUBLE)

    def hyperplanes(self, x: str, W: Array) -> str:
        """The score of every row by every hyperplane; the bias is last in each."""
        W = W.astype(np.float64)
        products = self.op("MatMul", x, self.constant(np.ascontiguousarray(W[:, :-1].T)))
        return self.op("Add", products, self.constant(W[:, -1]))

    def positive(self, score: str, on_line: int) -> str:
        """Is the score positive, or on the line where that counts as positive?"""
        zero = self.constant(np.float64(0))
        if on_line > 0:
            return self.op("Not", self.op("Less", score, zero))
        return self.op("Greater", score, zero)

    def unit_length(self, x: str) -> str:
        """Every row divided by its length; zero rows stay. Divided by its largest entry first."""
        top = self.op("ReduceMax", self.op("Abs", x), axes=[1], keepdims=1)
        x = self.op("Div", x, self._or_one(top))
        return self.op("Div", x, self._or_one(self.op("ReduceL2", x, axes=[1], keepdims=1)))

    def _or_one(self, divisor: str) -> str:
        zero, one = self.constant(np.float64(0)), self.constant(np.float64(1))
        return self.op("Where", self.op("Equal", divisor, zero), one, divisor)

    def serialized(self, n_features: int, label: np.dtype[Any], n_scores: int | None) -> bytes:
        """The graph as bytes; `label` is the type of the labels, with so many scores each."""
        helper = self.onnx.helper
        own, of_label, double = (
            helper.np_dtype_to_tensor_dtype(dtype)
            for dtype in (self.dtype, label, np.dtype(np.float64))
        )
        graph = helper.make_graph(
            self.nodes,
            "novikoff",
            [helper.make_tensor_value_info("X", own, ["n_samples", n_features])],
            [
                helper.make_tensor_value_info("label", of_label, ["n_samples"]),
                helper.make_tensor_value_info(
                    "score", double, ["n_samples", *([] if n_scores is None else [n_scores])]
                ),
            ],
            self.constants,
        )
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name="novikoff",
            producer_version=__version__,
        )
        content: bytes = model.SerializeToString(deterministic=True)
        return content
