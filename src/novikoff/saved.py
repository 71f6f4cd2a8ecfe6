"""The method `save`, for every class that has model files."""

from collections.abc import Mapping
from os import PathLike


class Saved:
    """A model that can be written to a file (abstract)."""

    def save(self, path: str | PathLike[str], *, extra: Mapping[str, object] | None = None) -> None:
        """Save the fitted model to a file. `novikoff.load` loads it.

        See `novikoff.store.save`.

        Parameters
        ----------
        path : str or path-like
        extra : mapping from str to JSON values, optional
            Anything else to keep in the file.
        """
        # the store knows every class that has files, so they cannot know it when imported
        from novikoff.store import save

        save(self, path, extra=extra)
