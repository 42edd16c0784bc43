"""A browser without a window, for tests of pages; software draws what it shows."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
OWN = ("chrome:", "chrome-extension:", "data:", "blob:", "about:")  # nothing that leaves the browser


@contextmanager
def browser(profile: Path, size: tuple[int, int] = (700, 560)) -> Iterator[Any]:
    """Chromium driven by Selenium; the test is skipped where one of them is missing."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    binary = next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("needs chromium and chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in (*ARGUMENTS, f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield found
    finally:
        found.quit()


def pixels(element: Any) -> Any:
    """What is seen of an element (height, width, 3)."""
    import io

    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(io.BytesIO(element.screenshot_as_png)).convert("RGB")).astype(int)


def difference(one: Any, other: Any) -> float:
    """The share of pixels that differ by more than noise."""
    return float((np.abs(one - other).sum(axis=-1) > 40).mean())


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for something, which must come."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)


def complaints(driver: Any) -> list[str]:
    """Errors that were written to the console."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]


def requested(driver: Any) -> set[str]:
    """What was asked for outside the browser."""
    found = set()
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
            parameters = message["params"]
            found.add(parameters.get("request", parameters)["url"])
    return {url for url in found if not url.startswith(OWN)}
