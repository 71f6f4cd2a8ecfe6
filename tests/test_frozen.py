"""Every learner learns what it learned before its core was rebuilt."""

import json

import numpy as np
import pytest

import frozen

CASES = {frozen.name_of(*case): case for case in frozen.cases()}
ANSWERS = json.loads(frozen.FILE.read_text())


def test_all_answers_are_asked_for():
    assert CASES.keys() == ANSWERS.keys()


@pytest.mark.parametrize("learner", frozen.OPTIONS)
def test_same_seed_same_model(learner):
    """Bit for bit, but where sums may be reordered."""
    for name, case in CASES.items():
        if case[0] is learner:
            now = frozen.learned(*case)
            assert now.keys() == ANSWERS[name].keys()
            for part, before in ANSWERS[name].items():
                tolerance = 0.0 if frozen.is_exact(learner, case[1], part) else 1e-9
                np.testing.assert_allclose(now[part], before, tolerance, tolerance, err_msg=name)
