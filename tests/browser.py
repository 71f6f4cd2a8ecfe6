"""A real Chromium without a window: found on the machine, or installed if that is possible."""

import os
import shutil
import subprocess
from functools import cache

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
APT = ["apt-get", "-y", "-q", "-o", "DPkg::Lock::Timeout=300"]
STEPS = (["install", "chromium"], ["update"], ["install", "chromium"])


def on_the_machine():
    return next(filter(None, map(shutil.which, NAMES)), None)


@cache
def chromium(its_own):
    """The path of a Chromium; `its_own` is where Playwright would keep one."""
    found = on_the_machine() or (its_own if os.path.exists(its_own) else None)
    if found is None and shutil.which("apt-get") and os.geteuid() == 0:
        for step in STEPS:
            subprocess.run([*APT, *step], check=False, capture_output=True, timeout=600)
            found = on_the_machine()
            if found:
                break
    if found is None:
        pytest.skip(
            "THE LAB'S PAGE WAS NOT TESTED: there is no Chromium on this machine, and none could "
            "be installed. Install one: apt-get install chromium, or playwright install chromium."
        )
    return found
