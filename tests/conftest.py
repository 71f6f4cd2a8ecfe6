"""Settings of all tests; at the end of a run, what compiling cost and how large processes grew."""

import os
import resource
import signal
import time
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings
from numba.core import event

# what a shell starts in the background ignores Ctrl-C, and so would all commands started here
signal.signal(signal.SIGINT, signal.default_int_handler)

MOST, LEAST, OF_A_LAW = 60, 15, 180
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


def pytest_collection_modifyitems(items):
    """Let the cases of a law, many learners in many forms, share its examples."""
    if PROFILE != "house":
        return
    laws = [item.obj for item in items if is_hypothesis_test(getattr(item, "obj", None))]
    for law, cases in Counter(laws).items():
        given = hasattr(law, "_hypothesis_internal_settings_applied")
        if not given:
            settings(max_examples=min(MOST, max(LEAST, OF_A_LAW // cases)))(law)


class Compiling(event.Listener):
    """How many kernels this process compiled, and in how many seconds."""

    def __init__(self):
        self.began, self.kernels, self.seconds = [], 0, 0.0

    def on_start(self, event):
        self.began.append(time.perf_counter())

    def on_end(self, event):
        began = self.began.pop()
        if not self.began:  # what a kernel calls is compiled within it
            self.kernels += 1
            self.seconds += time.perf_counter() - began


COMPILING = Compiling()
event.register("numba:compile", COMPILING)
COSTS = []


def pytest_sessionfinish(session):
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    cost = (COMPILING.kernels, COMPILING.seconds, memory)
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["cost"] = cost
    else:
        COSTS.append(cost)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    COSTS.append(node.workeroutput["cost"]) if hasattr(node, "workeroutput") else None


def pytest_terminal_summary(terminalreporter):
    costs = [cost for cost in COSTS if cost[1] or len(COSTS) == 1] or COSTS
    kernels, seconds, memory = zip(*costs, strict=True)
    terminalreporter.write_line(
        f"compiled {sum(kernels)} kernels in {sum(seconds):.0f} s of {len(costs)} processes; "
        f"the largest took {max(memory):.1f} GB"
    )
