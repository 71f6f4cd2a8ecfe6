"""Every exception the library raises on purpose.

```
NovikoffError
├── DataError (ValueError)        these examples or labels cannot be learned from
├── ParameterError (ValueError)   this option does not have a meaning
└── WeightOverflow (ArithmeticError, ValueError)   the weights left the range of their type
```

A model that has not been fitted raises scikit-learn's `NotFittedError`; a run that ended
before it converged is a result, announced by scikit-learn's `ConvergenceWarning`.
"""


class NovikoffError(Exception):
    """The root of the tree. (scikit-learn's own checks of shapes raise plain ValueErrors.)"""


class DataError(NovikoffError, ValueError):
    """The data given cannot be learned from, or predicted on."""


class ParameterError(NovikoffError, ValueError):
    """An option was given a value that has no meaning."""


class WeightOverflow(NovikoffError, ArithmeticError, ValueError):
    """The weights, or a score, left the range of their floating-point type."""
