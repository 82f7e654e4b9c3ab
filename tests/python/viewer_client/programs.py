"""The real viewer, its MCP server and a browser, each out of its own virtual environment in build/clients."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent
CLIENTS = Path(os.environ.get("TRACELIFT_CLIENTS", ROOT / "build/clients"))
VIEWER = CLIENTS / "ttnn-visualizer/bin"
BROWSER = CLIENTS / "browser/bin/python"


def environment(home: Path) -> dict[str, str]:
    """Everything the viewer keeps goes below `home`; it opens no browser and reports nothing to anybody."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return kept | {
        "HOME": str(home),
        "APP_DATA_DIRECTORY": str(home / "app"),
        "REPORT_DATA_DIRECTORY": str(home / "data"),
        "FLASK_ENV": "production",
        "LAUNCH_BROWSER_ON_START": "false",
        "USAGE_RECORDING_DISABLED": "true",
        "GUNICORN_TIMEOUT": "600",
        "PYTHONUNBUFFERED": "1",
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def routes(home: Path) -> list[tuple[str, str]]:
    """(method, rule) of everything the installed viewer answers."""
    run = subprocess.run(
        [VIEWER / "python", HERE / "list_routes.py"], env=environment(home), capture_output=True, text=True, check=True
    )
    return [tuple(each) for each in json.loads(run.stdout.splitlines()[-1])]


class Answer:
    def __init__(self, status: int, body: bytes):
        self.status = status
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)


class Viewer:
    """A running viewer on loopback. Ends with the `with` block."""

    def __init__(self, home: Path):
        self.home = home
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = home / "viewer.log"
        self.process: subprocess.Popen | None = None

    def __enter__(self) -> Viewer:
        self.home.mkdir(parents=True, exist_ok=True)
        command = [VIEWER / "ttnn-visualizer", "--host", "127.0.0.1", "--port", str(self.port)]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command,
                env=environment(self.home),
                cwd=self.home,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                if self.call("GET", "/api/up").status == 200:
                    return self
            except OSError:
                time.sleep(0.1)
        self.__exit__()
        raise RuntimeError(f"the viewer did not start:\n{self.log.read_text()[-4000:]}")

    def __exit__(self, *_) -> None:
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()

    def call(self, method: str, path: str, body=None, **query) -> Answer:
        url = self.url + path
        if query:
            url += "?" + urllib.parse.urlencode(query)
        data = None if body is None else json.dumps(body).encode()
        return self.send(urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method))

    @staticmethod
    def send(request: urllib.request.Request) -> Answer:
        try:
            with urllib.request.urlopen(request, timeout=600) as response:
                return Answer(response.status, response.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.read())

    def upload(self, kind: str, folder: Path, instance: str, name_apart: bool = False) -> Answer:
        """Uploads a report as a browser does.

        Chromium and Firefox send files with their path from the report's folder on; Safari sends bare names, and the
        name of the folder as a field (`name_apart`).
        """
        boundary = uuid.uuid4().hex
        parts = []
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            name = path.name if name_apart else path.relative_to(folder.parent).as_posix()
            parts.append((f'name="files"; filename="{name}"', path.read_bytes()))
        if name_apart:
            parts.append(('name="folderName"', folder.name.encode()))
        body = b"".join(
            f"--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode() + data + b"\r\n"
            for head, data in parts
        )
        return self.send(
            urllib.request.Request(
                f"{self.url}/api/local/upload/{kind}?instanceId={instance}",
                body + f"--{boundary}--\r\n".encode(),
                {"Content-Type": f"multipart/form-data; boundary={boundary}"},
                method="POST",
            )
        )

    def open(self, profiler: Path | None = None, performance: Path | None = None) -> Report:
        paths = {"profiler_path": profiler, "performance_path": performance}
        answer = self.call(
            "POST", "/api/instance/local-paths", {key: str(path) for key, path in paths.items() if path is not None}
        )
        assert answer.status == 200, answer.body
        return Report(self, answer.json["instance_id"])


class Report:
    """A report that the viewer has opened."""

    def __init__(self, viewer: Viewer, instance: str):
        self.viewer = viewer
        self.instance = instance

    def call(self, path: str, **query) -> Answer:
        return self.viewer.call("GET", path, None, instanceId=self.instance, **query)

    def get(self, path: str, **query):
        answer = self.call(path, **query)
        assert answer.status == 200, f"{path} {query}: {answer.status} {answer.body[:2000]!r}"
        return answer.json


class Mcp:
    """The viewer's MCP server, spoken to over its standard input and output."""

    def __init__(self, home: Path):
        self.process = subprocess.Popen(
            [VIEWER / "ttnn-visualizer-mcp"],
            env=environment(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.count = 0

    def __enter__(self) -> Mcp:
        self.request("initialize", {})
        return self

    def __exit__(self, *_) -> None:
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()

    def request(self, method: str, params: dict):
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer
        return answer["result"]

    def tools(self) -> set[str]:
        return {tool["name"] for tool in self.request("tools/list", {})["tools"]}

    def tool(self, name: str, **arguments):
        result = self.request("tools/call", {"name": name, "arguments": arguments})
        text = result["content"][0]["text"]
        assert not result.get("isError"), f"{name} {arguments}: {text}"
        return json.loads(text)


def look_at(viewer: Viewer, instance: str, pages: list[dict], folder: Path) -> list[dict]:
    """Opens pages in Chromium. A page: name, path, and steps (clicks, texts to wait for).

    Tells for each: errors in the console, failed answers of the viewer, the visible text and how many shapes are drawn.
    A picture of each goes into `folder`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    task = {"url": viewer.url, "instance": instance, "pages": pages, "folder": str(folder)}
    run = subprocess.run(
        [BROWSER, HERE / "look.py"], input=json.dumps(task), capture_output=True, text=True, check=False, timeout=1800
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return json.loads(run.stdout.splitlines()[-1])
