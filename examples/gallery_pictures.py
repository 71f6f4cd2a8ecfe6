"""Render the gallery: ``python examples/gallery_pictures.py [folder] [--dark]``.

Without a folder, the pictures of the documentation are written to `docs/pictures`.
"""

import argparse
import runpy
from pathlib import Path

import matplotlib

HERE = Path(__file__).parent
DOCUMENTED = ("comparison", "proof", "lattice")
PICTURES = HERE.parent / "docs" / "pictures"


def pictures():
    """The name of each picture, and its display, as the scripts draw them one after the other."""
    for script in sorted((HERE / "gallery").glob("plot_*.py")):
        for name, value in runpy.run_path(str(script)).items():
            if hasattr(value, "figure_"):
                yield name, value


def main(words=None):
    """Write them."""
    parser = argparse.ArgumentParser(description="Render every picture of novikoff.plots.")
    parser.add_argument("folder", nargs="?", type=Path, help="none: those of the documentation")
    parser.add_argument("--dark", action="store_true", help="on a dark ground")
    told = parser.parse_args(words)
    matplotlib.use("Agg")
    from matplotlib import pyplot

    if told.dark:
        pyplot.style.use("dark_background")
    folder = told.folder or PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    for name, display in pictures():
        if told.folder or name in DOCUMENTED:
            display.figure_.savefig(folder / f"{name}.png", dpi=120)
            print(folder / f"{name}.png")
        pyplot.close(display.figure_)


if __name__ == "__main__":
    main()
