"""Settings of all tests; at the end of a run, what compiling cost and how large processes grew."""

import gc
import os
import signal
import sys
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings

from novikoff.core.clock import COMPILING

# what a shell starts in the background ignores Ctrl-C, and so would all commands started here
signal.signal(signal.SIGINT, signal.default_int_handler)

MOST, LEAST, OF_A_LAW = 40, 10, 100
"""How many examples a test has, and how many all cases of one law share among them."""

settings.register_profile(
    "house",
    deadline=None,  # the first example of a kind compiles its kernel
    max_examples=MOST,
    derandomize=True,  # the same examples every time; `make thorough` looks for new ones
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", settings.get_profile("house"), max_examples=1000, derandomize=False
)
settings.register_profile(
    "quick", settings.get_profile("house"), max_examples=5, phases=[Phase.explicit, Phase.generate]
)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "house")
settings.load_profile(PROFILE)

collect_ignore = ["interpreted.py"]  # a script: to look for examples in it would run it


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Where to save models, without waiting for the disk.

    What happens to a file in a crash is the business of `test_files.py`.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield tmp_path_factory.mktemp("store") / "model.safetensors"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """One more than there are cores, since some tests wait for browsers and other programs."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else None


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for garbage neither while tests are collected nor ever in what that leaves behind.

    Modules and thousands of tests stay to the end; looking through them took a third of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """Let the cases of a law, many learners in many forms, share its examples."""
    if PROFILE != "house":
        return
    laws = [item.obj for item in items if is_hypothesis_test(getattr(item, "obj", None))]
    for law, cases in Counter(laws).items():
        has_a_number_of_its_own = hasattr(law, "_hypothesis_internal_settings_applied")
        if not has_a_number_of_its_own:
            settings(max_examples=min(MOST, max(LEAST, OF_A_LAW // cases)))(law)


COSTS = []


def memory():
    """How much this process ever took, in GB; 0 where that is not told."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:
        return 0.0
    return getrusage(RUSAGE_SELF).ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)


def pytest_sessionfinish(session):
    cost = (COMPILING.kernels, COMPILING.seconds, memory())
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["cost"] = cost
    else:
        COSTS.append(cost)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    if hasattr(node, "workeroutput"):  # it has ended by itself
        COSTS.append(node.workeroutput["cost"])


def pytest_terminal_summary(terminalreporter):
    kernels, seconds, memory = zip(*COSTS, strict=True)
    terminalreporter.write_line(
        f"compiled {sum(kernels)} kernels in {sum(seconds):.0f} s; "
        f"the largest process took {max(memory):.1f} GB"
    )
