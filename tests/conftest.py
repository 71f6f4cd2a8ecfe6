"""Compiled code is cached by the text of all sources that have any: numba itself would not see an
edit of `rows.py` in the learners that inlined it.
"""

import hashlib
import os
import signal
from pathlib import Path

ROOT = Path(__file__).parent.parent
texts = [p.read_bytes() for p in sorted((ROOT / "src").rglob("*.py"))]
digest = hashlib.sha256(b"".join(text for text in texts if b"numba" in text)).hexdigest()[:16]
os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".cache" / "numba" / digest)

# what a shell starts in the background ignores Ctrl-C, and so would all commands started here
signal.signal(signal.SIGINT, signal.default_int_handler)

from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile(
    "house",
    deadline=None,  # the first example of a kind compiles its kernel
    max_examples=60,
    derandomize=True,  # the same examples every time; `make thorough` looks for new ones
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", settings.get_profile("house"), max_examples=1000, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))

collect_ignore = ["interpreted.py"]  # a script: to look for examples in it would run it
