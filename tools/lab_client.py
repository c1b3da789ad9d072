"""Use a running Jupyter server as JupyterLab does: over REST and one WebSocket a kernel."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass, field
from typing import Any

import websocket

CELL_SECONDS = 600


@dataclass
class Run:
    """A chapter that was executed over the API.

    Attributes:
        cells: how many code cells ran.
        failed: what went wrong where the notebook does not declare it, one line each.
        first: seconds from the request for a kernel to the first output.
        seconds: seconds from the request for a kernel to the end of the last cell.
        kernel: the kernel's id.
    """

    cells: int = 0
    failed: list[str] = field(default_factory=list)
    first: float = 0.0
    seconds: float = 0.0
    kernel: str = ""


def fetch(url: str, headers: dict, method: str = "GET", body: dict | None = None) -> Any:
    """Send a request and return the JSON of the answer, or None where it is empty."""
    data = json.dumps(body).encode() if body is not None else None
    headers = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=120) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def execute(channel: websocket.WebSocket, code: str, session: str) -> tuple[list[dict], float]:
    """Execute one cell; return its outputs, and when the first of them came.

    Raises:
        TimeoutError: the cell ran past `CELL_SECONDS`, or the kernel is gone.
    """
    identity = uuid.uuid4().hex
    header = {"msg_id": identity, "msg_type": "execute_request", "session": session}
    header |= {"username": "learner", "version": "5.3", "date": ""}
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}}
    content |= {"allow_stdin": False, "stop_on_error": False}
    message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
    channel.send(json.dumps({**message, "channel": "shell", "buffers": []}))
    outputs, first, deadline = [], 0.0, time.monotonic() + CELL_SECONDS
    replied = idle = False
    while not (replied and idle):
        if time.monotonic() > deadline:
            raise TimeoutError(f"no answer in {CELL_SECONDS} s")
        try:
            answer = json.loads(channel.recv())
        except websocket.WebSocketTimeoutException:
            continue
        except websocket.WebSocketConnectionClosedException:
            raise TimeoutError("the connection to the kernel was closed") from None
        kind, content = answer["header"]["msg_type"], answer["content"]
        if kind == "status" and content["execution_state"] in ("dead", "restarting"):
            raise TimeoutError("the kernel died")
        if answer["parent_header"].get("msg_id") != identity:
            continue
        if kind in ("stream", "display_data", "execute_result", "error"):
            first = first or time.monotonic()
            outputs.append({"type": kind, **content})
        replied |= kind == "execute_reply"
        idle |= kind == "status" and content["execution_state"] == "idle"
    return outputs, first


def open_kernel(base: str, headers: dict, path: str) -> tuple[str, websocket.WebSocket, str]:
    """Start a session for a notebook as JupyterLab does; return kernel id, channel, session."""
    session = uuid.uuid4().hex
    body = {"path": path, "name": "", "type": "notebook", "kernel": {"name": "python3"}}
    kernel = fetch(f"{base}/api/sessions", headers, "POST", body)["kernel"]["id"]
    address = f"ws{base.removeprefix('http')}/api/kernels/{kernel}/channels?session_id={session}"
    lines = [f"{key}: {value}" for key, value in headers.items()]
    channel = websocket.create_connection(address, header=lines, timeout=5)
    return kernel, channel, session


def run_chapter(base: str, headers: dict, path: str, limit: int | None = None) -> Run:
    """Open a page as a notebook and execute its code cells in order.

    Args:
        base: the server's address, without a slash at the end.
        headers: what authenticates the requests.
        path: the page, from the server's folder.
        limit: stop after so many code cells.
    """
    notebook = fetch(f"{base}/api/contents/{path}?type=notebook", headers)["content"]
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"][:limit]
    run, begin = Run(), time.monotonic()
    run.kernel, channel, session = open_kernel(base, headers, path)
    try:
        for number, cell in enumerate(cells):
            outputs, first = execute(channel, cell["source"], session)
            run.cells += 1
            run.first = run.first or (first and first - begin)
            meant = "raises-exception" in cell["metadata"].get("tags", [])
            errors = [out for out in outputs if out["type"] == "error"]
            if bool(errors) != meant:
                said = f"{errors[0]['ename']}: {errors[0]['evalue'][:80]}" if errors else "no error"
                run.failed.append(f"code cell {number + 1}: {said}")
            if any("is not installed, so this cell" in str(out.get("text")) for out in outputs):
                run.failed.append(f"code cell {number + 1}: the kernel `then` is missing")
    except TimeoutError as error:
        run.failed.append(f"code cell {run.cells + 1}: {error}")
    finally:
        channel.close()
        run.seconds = time.monotonic() - begin
    return run


def wait_until(ready, seconds: float, what: str):
    """Call `ready` until it returns something true; return that.

    Raises:
        TimeoutError: it did not in that time; the message says what was waited for.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            found = ready()
        except (urllib.error.URLError, OSError):
            found = None
        if found:
            return found
        time.sleep(0.3)
    raise TimeoutError(f"{what} did not happen in {seconds:.0f} s")
