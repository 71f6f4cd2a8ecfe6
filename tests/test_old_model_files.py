"""Files of earlier versions load, tell what they told, and learn on."""

import json

import pytest

from hostile import X
from novikoff import store
from write_model_files import DATA, learned_on, record

FILES = sorted(DATA.glob("*.safetensors"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_old_files_load(path):
    name, version = path.stem.rsplit("-", 1)
    expected = json.loads((DATA / f"expected-{version}.json").read_text())[name]
    model, extra = store.load_with_extra(path)
    assert extra == {"made_by": "write_model_files"}
    if name == "Perceptron":
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]
        del model.feature_names_in_
    assert record(model, X) == expected["loaded"]
    assert record(learned_on(model), X) == expected["learned on"]


def test_there_is_a_file_of_every_kind():
    kinds = {store.describe(path)["learner"] for path in FILES}
    assert kinds == {"Perceptron", "AveragedPerceptron", "VotedPerceptron", "Winnow"}
