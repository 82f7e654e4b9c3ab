"""Runs in the browser's environment: opens pages of the viewer in Chromium and prints what it saw, as JSON."""

import json
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlparse

from playwright.sync_api import sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OF_THE_INTERNET = ("Failed to load resource", "Failed to fetch latest app version")


def main():
    task = json.load(sys.stdin)
    host = urlparse(task["url"]).netloc
    seen = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(
            profile,
            executable_path="/usr/bin/chromium",
            headless=True,
            args=FLAGS,
            viewport={"width": 1600, "height": 1000},
        )
        for wanted in task["pages"]:
            seen.append(look(context, task, host, wanted))
        context.close()
    print()
    print(json.dumps(seen))


def look(context, task, host, wanted):
    page = context.new_page()
    errors, failed = [], []

    def on_console(message):
        # Requests that failed are told by their answers, with the address.
        if message.type == "error" and not message.text.startswith(OF_THE_INTERNET):
            errors.append(message.text)

    def on_response(response):
        own = urlparse(response.url).netloc == host
        # Asks the internet for a newer version of itself.
        if own and response.status >= 400 and "/api/latest-version" not in response.url:
            failed.append(f"{response.status} {response.url}")

    page.on("console", on_console)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("response", on_response)
    page.goto(f"{task['url']}{wanted['path']}?instanceId={task['instance']}", wait_until="load", timeout=120_000)
    problem = ""
    try:
        for step in wanted.get("steps", []):
            take(page, step)
    except Exception as error:  # told with everything else that was seen
        problem = f"{step}: {error}"
    page.wait_for_timeout(wanted.get("settle", 1500))
    result = {
        "name": wanted["name"],
        "problem": problem,
        "errors": errors,
        "failed": failed,
        "text": page.inner_text("body").replace("\xa0", " "),
        "shapes": page.evaluate(
            "() => document.querySelectorAll('svg path, svg rect, svg circle, canvas, .react-flow__node').length"
        ),
        "counts": {name: page.locator(selector).count() for name, selector in wanted.get("count", {}).items()},
    }
    page.screenshot(path=str(Path(task["folder"]) / f"{wanted['name']}.png"), full_page=False)
    page.close()
    return result


def take(page, step):
    kind, what = step
    if kind == "text":
        page.get_by_text(what).first.wait_for(state="visible", timeout=120_000)
    elif kind == "selector":
        page.locator(what).first.wait_for(state="visible", timeout=120_000)
    elif kind == "click":
        page.locator(what).first.click(timeout=60_000)
    elif kind == "wheel":  # so many pixels down in what is under the middle of the window
        page.mouse.move(800, 700)
        page.mouse.wheel(0, what)
    else:
        raise ValueError(f"unknown step {kind}")


main()
