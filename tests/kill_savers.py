"""Run by `test_files.py`: kill processes that save in a loop, and look at what they left.

``python kill_savers.py PATH ROUNDS``. Two models are saved in turn; after every kill the file
must hold one of them, whole.
"""

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from itertools import cycle
from pathlib import Path

import numpy as np

import novikoff
from anatomy import anatomy

WIDTH = 100_000


def save_forever(models, path):
    for model in cycle(models):
        model.save(path)


def main(path, rounds):
    X = np.random.default_rng(0).standard_normal((4, WIDTH))
    models = [
        novikoff.AveragedPerceptron(random_state=seed).fit(X, [0, 1, 1, 0]) for seed in (0, 1)
    ]
    models[1].partial_fit(X, [1, 0, 1, 0])
    whole = [anatomy(model) for model in models]
    models[0].save(path)
    random.seed(0)
    found = Counter({"old": 0, "new": 0, "inside the write": 0})
    for _ in range(rounds):
        child = os.fork()
        if not child:
            save_forever(models, path)
        time.sleep(random.uniform(0, 0.1))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found["old" if anatomy(novikoff.load(path)) == whole[0] else "new"] += 1
        assert anatomy(novikoff.load(path)) in whole
        for left in path.parent.glob(".novikoff-*.tmp"):
            found["inside the write"] += 1
            left.unlink()
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
