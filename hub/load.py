"""Measure a JupyterHub with learners who really work: `make hub-load`.

For each number of learners: log in, start the server, open a chapter, execute it over the API,
all at once. Then kill a kernel, kill a server and restart the hub, and look for the learners'
files. `--write` keeps the result in `hub/measured.json`, from which the book's page is made.
"""

from __future__ import annotations

import argparse
import datetime
import http.cookiejar
import json
import os
import platform
import secrets
import shutil
import sys
import time
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from subprocess import Popen

import psutil

from hub import start as hub
from tools import environments, lab_client

STATE = hub.HUB / "load"
FILE = environments.ROOT / "hub" / "measured.json"
CHAPTER = "failures/lazy-pytree-drift.md"
NOTE = {"type": "file", "format": "text", "content": "my own work\n"}


def api(port: int) -> str:
    """Return the address of the hub's API."""
    return f"http://127.0.0.1:{port}/hub/api"


def log_in(port: int, name: str, password: str) -> dict:
    """Log a learner in as a browser does; return the headers that authenticate what follows."""
    jar = http.cookiejar.CookieJar()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    page = f"http://127.0.0.1:{port}/hub/login?next=%2Fhub%2Fhome"
    browser.open(page, timeout=60).read()
    xsrf = next(cookie.value for cookie in jar if cookie.name == "_xsrf")
    form = urllib.parse.urlencode({"username": name, "password": password, "_xsrf": xsrf})
    browser.open(page, form.encode(), timeout=60).read()
    body = {"auth": {"username": name, "password": password}, "note": "load"}
    token = lab_client.fetch(f"{api(port)}/users/{name}/tokens", {}, "POST", body)["token"]
    return {"Authorization": f"token {token}"}


def start_server(port: int, name: str, headers: dict) -> str:
    """Start a learner's server, wait for it, and return its address."""
    base = f"http://127.0.0.1:{port}/user/{name}"
    user = f"{api(port)}/users/{name}"
    if not lab_client.fetch(user, headers)["servers"].get("", {}).get("ready"):
        lab_client.fetch(f"{user}/server", headers, "POST", {})
    lab_client.wait_until(
        lambda: lab_client.fetch(user, headers)["servers"].get("", {}).get("ready"),
        240,
        f"the start of {name}'s server",
    )
    lab_client.wait_until(
        lambda: lab_client.fetch(f"{base}/api/status", headers), 120, f"{name}'s first answer"
    )
    return base


def processes_of(name: str) -> list[psutil.Process]:
    """Return the processes of a learner's server: itself, its kernels, and theirs."""
    ours = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("JUPYTERHUB_SERVICE_PREFIX") == f"/user/{name}/":
                ours.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return sorted(ours, key=lambda process: process.create_time())  # the server comes first


def usage(name: str) -> tuple[float, float]:
    """Return what a learner's processes hold in GB (shared pages divided), and their CPU s."""
    memory = cpu = 0.0
    for process in processes_of(name):
        try:
            full = process.memory_full_info()
            memory += getattr(full, "pss", full.uss) / 1e9
            times = process.cpu_times()
            cpu += times.user + times.system
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return memory, cpu


def learn(port: int, name: str, password: str, cells: int | None) -> dict:
    """Be one learner: log in, start, save a file, execute the chapter."""
    begin = time.monotonic()
    headers = log_in(port, name, password)
    base = start_server(port, name, headers)
    started = time.monotonic() - begin
    lab_client.fetch(f"{base}/api/contents/mine.txt", headers, "PUT", NOTE)
    run = lab_client.run_chapter(base, headers, CHAPTER, cells)
    return {"name": name, "headers": headers, "base": base, "started": started, "run": run}


def measure(port: int, password: str, learners: int, cells: int | None) -> dict:
    """Let a number of learners work at once; return what it took."""
    names = [f"n{learners}-learner{i + 1}" for i in range(learners)]
    with ThreadPoolExecutor(learners) as pool:
        futures = [pool.submit(learn, port, name, password, cells) for name in names]
    done, failed = [], []
    for name, future in zip(names, futures, strict=True):
        try:
            result = future.result()
            failed += [f"{name}: {line}" for line in result["run"].failed]
            done += [result] if not result["run"].failed else []
        except Exception as error:
            failed.append(f"{name}: {type(error).__name__}: {error}")
    used = [usage(name) for name in names]
    for line in failed[:5]:
        print(f"  failed: {line}", file=sys.stderr)
    row = {
        "learners": learners,
        "completed": len(done),
        "failed": learners - len(done),
        "seconds_to_server": max((r["started"] for r in done), default=0.0),
        "seconds_to_first_output": max((r["run"].first for r in done), default=0.0),
        "seconds_for_chapter": max((r["run"].seconds for r in done), default=0.0),
        "memory_gb": sum(memory for memory, _ in used),
        "cpu_seconds": sum(cpu for _, cpu in used) / learners,
    }
    for name in names:  # the next round begins with an empty machine
        headers = log_in(port, name, password)
        lab_client.fetch(f"{api(port)}/users/{name}/server", headers, "DELETE")
    for name in names:
        lab_client.wait_until(lambda n=name: not processes_of(n), 60, f"the end of {name}'s server")
    return {key: round(value, 2) for key, value in row.items()}


def survive(port: int, password: str, process: Popen) -> tuple[dict, Popen]:
    """Kill a kernel, a server, and the hub; say of each what a learner has afterwards.

    Returns:
        For each accident whether the file was there and work went on; and the new hub.
    """
    name = "survivor"
    headers = log_in(port, name, password)
    base = start_server(port, name, headers)
    lab_client.fetch(f"{base}/api/contents/mine.txt", headers, "PUT", NOTE)
    kernel, channel, session = lab_client.open_kernel(base, headers, CHAPTER)
    lab_client.execute(channel, "x = 41", session)
    channel.close()

    def has_file() -> bool:
        found = lab_client.fetch(f"{base}/api/contents/mine.txt", headers)
        return found["content"] == NOTE["content"]

    def answers(code: str) -> str:
        session = "again"
        url = f"ws{base.removeprefix('http')}/api/kernels/{kernel}/channels?session_id=again"
        lines = [f"{key}: {value}" for key, value in headers.items()]
        channel = lab_client.websocket.create_connection(url, header=lines, timeout=5)
        outputs, _ = lab_client.execute(channel, code, session)
        channel.close()
        return "".join(out.get("text", "") for out in outputs).strip()

    found = {}
    hub.stop(process)
    process = hub.start(port, password, STATE)
    lab_client.wait_until(has_file, 60, "the file after the hub's restart")
    # The learner's server never stopped: the variable is still there.
    found["hub restarted"] = has_file() and answers("print(x + 1)") == "42"

    victim = next(p for p in processes_of(name) if f"kernel-{kernel}" in " ".join(p.cmdline()))
    victim.kill()
    lab_client.wait_until(
        lambda: any(f"kernel-{kernel}" in " ".join(p.cmdline()) for p in processes_of(name)),
        60,
        "the kernel's restart",
    )
    time.sleep(2)
    found["kernel killed"] = has_file() and answers("print('x' in globals())") == "False"

    processes_of(name)[0].kill()
    user = f"{api(port)}/users/{name}"
    lab_client.wait_until(
        lambda: not lab_client.fetch(user, headers)["servers"], 60, "the hub's noticing"
    )
    start_server(port, name, headers)
    found["server killed"] = has_file()
    return found, process


def main() -> int:
    """Start a hub, measure, break it, stop it; return 0 where all learners got through."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("learners", nargs="*", type=int, default=[1, 2, 4, 8])
    parser.add_argument("--cells", type=int, help="stop after so many code cells of the chapter")
    parser.add_argument("--write", action="store_true", help="keep the result in hub/measured.json")
    options = parser.parse_args()
    hub.install()
    shutil.rmtree(STATE, ignore_errors=True)
    port, password = hub.free_ports(8410), secrets.token_urlsafe(9)
    process = hub.start(port, password, STATE)
    rows = []
    try:
        print("learners  completed  failed  server s  first cell s  chapter s  GB each", flush=True)
        for learners in options.learners:
            row = measure(port, password, learners, options.cells)
            rows.append(row)
            print(
                f"{learners:8}  {row['completed']:9}  {row['failed']:6}  "
                f"{row['seconds_to_server']:8.1f}  {row['seconds_to_first_output']:12.1f}  "
                f"{row['seconds_for_chapter']:9.0f}  {row['memory_gb'] / learners:7.2f}",
                flush=True,
            )
        survived, process = survive(port, password, process)
        for accident, fine in survived.items():
            print(f"{accident}: {'no file lost, work goes on' if fine else 'NOT survived'}")
    finally:
        hub.stop(process)
        hub.end_servers(STATE)
    if options.write:
        record = {
            "date": datetime.date.today().isoformat(),
            "chapter": f"book/{CHAPTER}",
            "cells": options.cells,
            "cores": os.cpu_count(),
            "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
            "python": platform.python_version(),
            "rows": rows,
            "survived": survived,
        }
        FILE.write_text(json.dumps(record, indent=1) + "\n")
        print(f"Written to {FILE.relative_to(environments.ROOT)}.")
    return int(any(row["failed"] for row in rows) or not all(survived.values()))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (environments.SetupError, TimeoutError) as error:
        hub.end_servers(STATE)
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        hub.end_servers(STATE)
        sys.exit("\nInterrupted: the hub and the learners' servers are stopped.")
