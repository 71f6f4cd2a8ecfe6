"""Photograph the lab in a real browser: ``python examples/lab_pictures.py [folder]``.

Without a folder, the two pictures of the documentation are written to `docs/pictures`. It needs
the extra `lab`, playwright, pillow, and Chromium on the machine.
"""

import argparse
import sys
from io import BytesIO
from pathlib import Path
from shutil import which
from threading import Event, Thread

try:
    from PIL import Image
    from playwright.sync_api import sync_playwright
except ModuleNotFoundError as error:
    sys.exit(f"Photographs of the lab need {error.name}: pip install playwright pillow")

from novikoff.lab.server import serve

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")

DESK, HALL, PHONE = (1440, 900), (1920, 1080), (390, 844)
VIEWS = {
    "lab": ("data=separable&step=9", DESK, "light"),
    "lab_dark": ("data=xor&step=7", DESK, "dark"),
    "lab_phone": ("data=separable&step=9", PHONE, "light"),
    "lab_phone_dark": ("data=xor&step=7", PHONE, "dark"),
    "lab_hall": ("data=separable&step=23", HALL, "light"),
    "lab_slack": ("data=outlier&slack=1.5&step=22", DESK, "light"),
    "lab_margin": ("data=separable&margin=1&step=30", DESK, "light"),
    "lab_winnow": ("data=or&learner=winnow&step=3", DESK, "light"),
    "lab_averaged": (
        "data=iris-versicolor-virginica&learner=averaged&max_iter=30&step=302",
        HALL,
        "dark",
    ),
    "lab_voted": ("data=barely&learner=voted&step=60", DESK, "light"),
    "lab_unit_length": ("data=separable&normalize=1&step=9", DESK, "dark"),
    "lab_touching": ("data=touching&step=9", (1024, 768), "light"),
    "lab_start": ("data=barely&coef_init=3,-2&eta0=0.5&step=4", DESK, "light"),
    "lab_empty": ("view=-3,-3,6", PHONE, "light"),
}
DOCUMENTED = ("lab", "lab_dark")


def flat(picture):
    """In its 256 most frequent colours, which takes a third of the bytes."""
    picture = picture.convert("RGB")
    most = sorted(picture.getcolors(2**24), reverse=True)[:256]
    table = Image.new("P", (1, 1))
    table.putpalette([level for _, colour in most for level in colour])
    return picture.quantize(palette=table, dither=Image.Dither.NONE)


def main(words=None):
    """Write them."""
    parser = argparse.ArgumentParser(description="Photograph the lab in a real browser.")
    parser.add_argument("folder", nargs="?", type=Path, help="none: the two of the documentation")
    told = parser.parse_args(words)
    folder = told.folder or PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    address, known = [], Event()

    def ready(url):
        address.append(url)
        known.set()

    Thread(target=serve, kwargs={"port": 0, "ready": ready}, daemon=True).start()
    known.wait()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=which("chromium"), args=FLAGS)
        for name, (link, (wide, high), ground) in VIEWS.items():
            if told.folder is None and name not in DOCUMENTED:
                continue
            size = {"width": wide, "height": high}
            page = browser.new_page(viewport=size, color_scheme=ground)
            page.goto(f"{address[0]}#{link}")
            page.wait_for_selector("body.ready", timeout=120_000)
            taken = page.screenshot(full_page=True)
            flat(Image.open(BytesIO(taken))).save(folder / f"{name}.png", optimize=True)
            page.close()
            print(folder / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
