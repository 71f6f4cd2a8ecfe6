"""What features a tagger knows, as tensors and JSON, and back with every part checked.

Texts are JSON lists of strings. Features that go by name are listed in the order of their columns.
Those of a template are rows of numbers, as `novikoff.core.expansion` has them: the kind of line
they come from, and a number for what each of its macros found. What a macro makes of a word (an
*atom* of the template) is in the file for every word that is known, and not made again: another
Python may take other characters for capitals.
"""

from collections import Counter

import numpy as np

from novikoff.core.expansion import UNKNOWN
from novikoff.errors import ModelFileError
from novikoff.inputs.sequences import Vocabulary
from novikoff.inputs.templates import Template
from novikoff.inputs.tokens import Tokens
from novikoff.learners.state import Field, Space
from novikoff.store.fields import Parts, Tensor, put_texts, take_texts
from novikoff.typing import Array

NAMED = Tensor("vocabulary.named", Field(("features",), np.int32, -1), "names")
FEATURES = Tensor("vocabulary.features", Field(("features", "codes+1"), np.int32))


def codes_of(k: int) -> Tensor:
    """What an atom makes of each word of its column, by number."""
    return Tensor(f"vocabulary.codes.{k}", Field(("words",), np.int32, 0), "values")


def put_vocabulary(vocabulary: Vocabulary | Tokens, parts: Parts) -> None:
    """Put it into the parts; of hashed features and of plain numbers there is nothing to keep."""
    if vocabulary.n_columns is not None:
        return
    if isinstance(vocabulary, Tokens):
        put_tokens(vocabulary, parts)
        return
    parts.values["numeric"] = vocabulary.numeric
    if not vocabulary.numeric:
        put_names(vocabulary, parts)


def take_vocabulary(space: Space, n_features: int, parts: Parts) -> Vocabulary | Tokens:
    """Take that of a model with so many features out again."""
    template, n_columns = space["template"], space["n_features"]
    parts.sizes["features"] = n_features
    numeric = template is None and n_columns is None and parts.flag("numeric")
    if n_columns is None and not numeric:
        return take_names(parts) if template is None else take_tokens(template, parts)
    wanted = max(1, n_features) if numeric else n_columns
    if n_features != wanted:
        raise ModelFileError(
            f"The file has weights for {n_features} features, and should have them for {wanted}."
        )
    if template is not None:
        return Tokens(template, n_columns)
    vocabulary = Vocabulary(n_columns)
    vocabulary.numeric = numeric
    return vocabulary


def take_distinct(name: str, what: str, parts: Parts) -> list[str]:
    """Take out texts, each of which is there once."""
    texts = take_texts(name, what, parts)
    if len({*texts}) < len(texts):
        twice = Counter(texts).most_common(1)[0][0]
        raise ModelFileError(f"The list of {what} in the file has {twice!r:.60} twice.")
    return texts


def require_in_order(name: str, numbers: Array, n: int) -> None:
    """Each of so many numbers must come, and for the first time right after those below it."""
    tops = np.maximum.accumulate(np.append(-1, numbers))
    if tops[-1] != n - 1 or (np.diff(tops) > 1).any():
        raise ModelFileError(
            f"The tensor {name!r} does not number {n} texts in the order in which they came."
        )


# ------------------------------------------------------------- features by name


def put_names(vocabulary: Vocabulary, parts: Parts) -> None:
    """Put the features into the parts: their texts, and the names that some come with."""
    texts, named = [""] * vocabulary.width, np.full(vocabulary.width, -1, np.int32)
    for k, table in enumerate((vocabulary.names, *vocabulary.texts.values()), -1):
        for text, j in table.items():
            texts[j], named[j] = text, k
    put_texts("vocabulary.texts", texts, parts)
    put_texts("vocabulary.names", list(vocabulary.texts), parts)
    NAMED.put(parts, named)


def take_names(parts: Parts) -> Vocabulary:
    """Take them out again."""
    texts = take_texts("vocabulary.texts", "features", parts)
    names = take_distinct("vocabulary.names", "names", parts)
    n = parts.sizes["features"]
    if len(texts) != n:
        raise ModelFileError(f"The file names {len(texts)} features, but has weights for {n}.")
    parts.sizes["names"] = len(names)
    named = NAMED.take(parts)
    require_in_order(NAMED.name, named, len(names))
    tables: list[dict[str, int]] = [{} for _ in (*names, "and those without")]
    for j, (text, k) in enumerate(zip(texts, named.tolist(), strict=True)):
        if tables[k].setdefault(text, j) != j:  # -1 is the last
            raise ModelFileError(f"The feature {text!r:.60} is in the file twice.")
    vocabulary = Vocabulary()
    by_name = dict(zip(names, tables, strict=False))
    vocabulary.__setstate__((None, n, False, tables[-1], by_name))
    return vocabulary


# ------------------------------------------------------------- features by a template


def put_tokens(tokens: Tokens, parts: Parts) -> None:
    """Put the words into the parts, what atoms make of them, and the features."""
    for column, own in tokens.words.items():
        put_texts(f"vocabulary.words.{column}", list(own), parts)
    for k, values in enumerate(tokens.values):
        if values is not None:
            n = len(tokens.words[tokens.template.atoms[k].column])
            put_texts(f"vocabulary.values.{k}", list(values), parts)
            codes_of(k).put(parts, tokens.codes[k][:n].astype(np.int32))
    FEATURES.put(parts, tokens.features_in)


def take_tokens(text: str, parts: Parts) -> Tokens:
    """Take them out again."""
    template = Template(text)
    parts.sizes["codes+1"] = int(template.width)
    features = FEATURES.take(parts)
    require_lines(features[:, 0], template)
    words = {
        column: take_distinct(f"vocabulary.words.{column}", "words", parts)
        for column in dict.fromkeys(atom.column for atom in template.atoms)
    }
    values, codes, sizes = [], [], []
    for k, atom in enumerate(template.atoms):
        n = len(words[atom.column])
        made, numbers = take_atom(k, n, parts) if atom.functions else (None, np.arange(n))
        values.append(made)
        codes.append(numbers)
        sizes.append(n if made is None else len(made))
    require_codes(features, template, np.array(sizes))
    tokens = Tokens(text)
    tokens.__setstate__((text, None, words, values, codes, features))
    table = tokens.table
    if np.count_nonzero(table.columns >= 0) + np.count_nonzero(table.slots >= 0) < len(features):
        raise ModelFileError(f"The tensor {FEATURES.name!r} has the same feature twice.")
    return tokens


def take_atom(k: int, n: int, parts: Parts) -> tuple[list[str], Array]:
    """What an atom makes of words, and which of that it makes of each of so many."""
    made = take_distinct(f"vocabulary.values.{k}", "what is made of words", parts)
    parts.sizes |= {"words": n, "values": len(made)}
    codes = codes_of(k).take(parts)
    require_in_order(codes_of(k).name, codes, len(made))
    return made, codes.astype(np.int64)


def require_lines(groups: Array, template: Template) -> None:
    """Every feature is of a line of the template, and every line has made one."""
    n = len(template.skeletons)
    found = groups[(groups >= 0) & (groups < n)]
    if len(found) < len(groups) or not np.bincount(found, minlength=n).all():
        raise ModelFileError(
            f"The tensor {FEATURES.name!r} should have features of all {n} lines of the template, "
            "and of these only."
        )


def require_codes(features: Array, template: Template, sizes: Array) -> None:
    """Features are of what is known, or of what their lines can find beyond a sequence.

    `sizes` says how much is known of each atom. Where a line has no more macros, there is a 0.
    """
    plan, shape = template.plan, (len(template.skeletons), template.width - 1)
    lengths = np.diff(plan.starts)
    places = (
        np.repeat(plan.groups, lengths),
        np.arange(len(plan.atoms)) - np.repeat(plan.starts[:-1], lengths),
    )
    n, before, after = np.ones(shape, np.int64), np.zeros(shape), np.zeros(shape)
    n[places] = sizes[plan.atoms]
    np.minimum.at(before, places, 2 * plan.distances)
    np.minimum.at(after, places, -2 * plan.distances - 1)
    groups, codes = features[:, 0], features[:, 1:]
    known = (codes >= 0) & (codes < n[groups])
    earlier = (codes < 0) & (codes % 2 == 0) & (codes >= before[groups])
    later = (codes < UNKNOWN) & (codes % 2 == 1) & (codes >= after[groups])
    bad = ~(known | earlier | later).all(axis=1)
    if bad.any():
        raise ModelFileError(
            f"Row {int(bad.argmax())} of the tensor {FEATURES.name!r} has a number of something "
            "that its line of the template cannot find."
        )
