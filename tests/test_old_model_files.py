"""Files of earlier versions load, tell what they told, and learn on."""

import json

import pytest

from novikoff import store
from novikoff.store.kinds import KINDS
from novikoff.store.runs import ADDED
from write_model_files import DATA, records

FILES = sorted(DATA.glob("*.safetensors"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_old_files_load(path):
    name, version = path.stem.rsplit("-", 1)
    expected = json.loads((DATA / f"expected-{version}.json").read_text())[name]
    model, extra = store.load_with_extra(path)
    assert extra == {"made_by": "write_model_files"}
    if name in ("Perceptron", "MaxMargin"):
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    found = records(model)
    for when, then in expected.items():
        now = found[when]
        added = now["parameters"].keys() - then["parameters"].keys()
        assert added <= ADDED.keys()
        now["parameters"] = {k: v for k, v in now["parameters"].items() if k not in added}
    assert found == expected


def test_there_is_a_file_of_every_kind():
    assert {store.describe(path)["learner"] for path in FILES} == set(KINDS)
