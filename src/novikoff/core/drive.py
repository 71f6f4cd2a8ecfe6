"""Which loop makes a pass."""

from typing import Any

from novikoff.core.chains import chain
from novikoff.core.jit import overload
from novikoff.core.loops import Chained, Joint, Pass, apart, joint
from novikoff.core.rows import is_a


def drive(p: Pass, k: int, low: int, high: int, R: float, search: bool) -> Any:
    """The loop that makes passes like this one."""
    loop = chain if isinstance(p.kind, Chained) else joint if isinstance(p.kind, Joint) else apart
    return loop(p, k, low, high, R, search)


@overload(drive)
def _drive(p, k, low, high, R, search):
    kind = p.types[p.fields.index("kind")]
    if is_a(kind, Chained):
        return lambda p, k, low, high, R, search: chain(p, k, low, high, R, search)
    if is_a(kind, Joint):
        return lambda p, k, low, high, R, search: joint(p, k, low, high, R, search)
    return lambda p, k, low, high, R, search: apart(p, k, low, high, R, search)
