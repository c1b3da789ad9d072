"""The reader's package installs alone: on each Python that readers have, without any library."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser

import pytest

import trace_evidence
from bookkit import publish
from tools import backend, environments
from trace_evidence import __main__ as command_line
from trace_evidence import can_i_use, checkout, triage

ROOT = environments.ROOT
SENT = pytest.mark.slow
PYTHONS = ("3.9", "3.12", "3.13")
ERROR = "Traceback:\nTypeError: unhashable type: 'DynamicJaxprTracer'\n"
IN_THE_REPOSITORY = re.compile(r"(?<![\w/])(?:book|stacks|tests|bookkit)/[\w/]|\.md\b|CONTRIBUTING")


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The sdist of the package as this tree has it, unpacked; made without a network."""
    target = tmp_path_factory.mktemp("sdist")
    with contextlib.chdir(ROOT):
        name = backend.build_sdist(str(target))
    shutil.unpack_archive(target / name, target, filter="data")
    return target / name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    """The wheel that is made from the sdist, as an index and its users make it."""
    target = tmp_path_factory.mktemp("wheel")
    made = f"import backend; backend.build_wheel({str(target)!r})"
    env = {"PATH": os.defpath, "PYTHONPATH": "tools"}
    subprocess.run([sys.executable, "-c", made], cwd=sdist, env=env, check=True)
    return next(target.iterdir())


@pytest.fixture(scope="module", params=PYTHONS)
def reader(request, wheel, tmp_path_factory):
    """Install the wheel on one Python; return a function that runs its command."""
    python = environments.find_python(request.param)
    if python == request.param:
        pytest.skip(f"no Python {python} on this machine")
    place = tmp_path_factory.mktemp("reader")
    env, folder = place / "env", place / "empty"
    folder.mkdir()
    quiet = {"check": True, "capture_output": True}
    subprocess.run([python, "-m", "venv", "--without-pip", env], **quiet)
    flags = ["-q", "--offline", "--no-cache", "--no-deps", "--no-index"]
    install = [environments.find_uv(), "pip", "install", *flags, "--python", env / "bin" / "python"]
    subprocess.run([*install, wheel], **quiet)

    def run(*words, given=""):
        return subprocess.run(
            [env / "bin" / "trace-evidence", *words],
            cwd=folder, env={"PATH": os.defpath, "PYTHONPATH": ""},
            input=given, capture_output=True, text=True,
        )  # fmt: skip

    return run


@SENT
def test_the_wheel_holds_the_package_with_its_data_needs_nothing_and_is_small(wheel, sdist):
    assert not (sdist / "bookkit").exists()
    archive = zipfile.ZipFile(wheel)
    packages = {name.split("/")[0].partition("-")[0] for name in archive.namelist()}
    assert packages == {"trace_evidence"}
    inside = {name.partition("/")[2] for name in archive.namelist()}
    assert {"data.json", "book.mplstyle", "checks/__init__.py", "then.py"} <= inside
    assert {"drawings/one_step.py", "exercises/tracer-hashing-repair.md"} <= inside
    data = json.loads(archive.read("trace_evidence/data.json"))
    assert data == {**publish.build(), "of": checkout.digest()}
    (file,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
    metadata = Parser().parsestr(archive.read(file).decode())
    assert not [row for row in metadata.get_all("Requires-Dist") if "extra ==" not in row]
    assert metadata["Requires-Python"] == ">=3.9"
    assert 50_000 < sum(entry.file_size for entry in archive.infolist()) < 1_600_000


@SENT
def test_its_commands_answer_where_nothing_else_is_installed(reader):
    slug, entry = next(iter(triage.data()["explain"].items()))
    found = json.loads(reader("triage", "--json", given=ERROR).stdout)
    assert found["findings"][0]["id"] == "tracer-hashing"
    for words, said in {
        "triage": triage.address("book/failures/tracer-hashing"),
        "narrow --see loading --where saving": triage.address("book/cases/leaf-order"),
        "explain": slug,
        f"explain {slug}": triage.address(entry["page"]),
        "--version": f"trace-evidence {trace_evidence.__version__}\n",
    }.items():
        done = reader(*words.split(), given=ERROR)
        assert (done.returncode, done.stderr) == (0, "")
        assert said in done.stdout
    done = reader("triage", "no-such-file")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    done = reader("explain", slug[:-1])
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"did you mean {slug}" in done.stderr


def test_a_command_that_fails_or_cannot_write_has_a_status_of_its_own():
    command = [sys.executable, "-m", "trace_evidence", "explain", "leaf-order"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3
    assert done.stderr == "error: No space left on device: the output\n"
    closed = [*command[:3], "triage"]
    done = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *closed], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "error: standard input is closed: name a file.\n")


# --- the command line, in this process -------------------------------------------------------


def test_a_mistyped_distribution_or_construct_is_named_with_what_it_may_mean():
    for words, said in {
        ("Normall", "scan"): "Normall: not known here; did you mean Normal",
        ("Normal", "scn"): "scn: not known here; did you mean scan?",
        ("Unit", "scan"): "Unit: its values are empty.",
        ("scan", ""): "scan: this is a construct; name a distribution before it",
        ("Normal", "qqqq"): "qqqq: not known here; without names, all are listed.",
    }.items():
        text, is_known = can_i_use.answer(*words)
        assert text.startswith(said) and not is_known
    assert command_line.main(["can-i-use", "MVN", "missing", "data"]) == 0


def test_what_explain_says_stands_alone(capsys, monkeypatch):
    monkeypatch.setattr(command_line.avoid, "warn", lambda: None)  # it reads the data anew
    for slug, entry in triage.data()["explain"].items():
        assert command_line.main(["explain", slug]) == 0
        printed = capsys.readouterr().out
        assert triage.address(entry["page"]) in printed, slug
        assert all(line in printed for line in entry["shows"].splitlines()), slug
        without = re.sub(r"https?://\S+", "", printed)
        assert not IN_THE_REPOSITORY.search(without), f"{slug}: a reader has no repository"
        assert "compare(" not in printed, f"{slug}: a terminal shows a figure by its words"


@pytest.mark.parametrize("content", [None, '{"site": "htt'])
def test_damaged_data_are_told_in_one_line(content, monkeypatch, tmp_path, capsys):
    file = tmp_path / "data.json"
    if content is not None:
        file.write_text(content)
    monkeypatch.setattr(checkout, "DATA", file)
    monkeypatch.setattr(checkout, "is_checkout", lambda: False)
    triage.data.cache_clear()
    try:
        assert command_line.main(["explain"]) == command_line.main(["triage", __file__]) == 2
    finally:
        triage.data.cache_clear()
    out, err = capsys.readouterr()
    line = r"error: data\.json cannot be read .*install trace-evidence again.*\n"
    assert out == "" and re.fullmatch(line * 2, err)


@SENT
def test_all_that_the_data_are_made_from_is_known():
    """Whatever else was read could change, and the data would be stale."""
    script = f"""if True:
        import os, sys
        root, opened = {str(ROOT)!r} + os.sep, set()
        def note(event, words):
            if event == "open" and isinstance(words[0], str | os.PathLike):
                opened.add(os.path.abspath(os.fspath(words[0])))
        sys.addaudithook(note)
        import babel, fastjsonschema, yaml  # pip has what [build-system] names, and no others
        sys.path = [path for path in sys.path if "site-packages" not in path]
        from bookkit import publish
        publish.build()
        print("\\n".join(path.removeprefix(root) for path in opened if path.startswith(root)))"""
    command = [sys.executable, "-B", "-c", script]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert not done.returncode, (
        f"{done.stderr}\npip makes the data with babel, fastjsonschema and PyYAML alone: import "
        "nothing else in bookkit.publish and what it imports, or name it in [build-system] of "
        "pyproject.toml"
    )
    sources = {str(path.relative_to(ROOT)) for path in checkout.files("data")}
    read = {name for name in done.stdout.split("\n") if name and ".venv" not in name}
    left = {name for name in read - sources if not name.endswith(".pyc")}
    assert not left, f"add them to MADE_FROM in trace_evidence/checkout.py: {sorted(left)}"
    assert "book/cases/leaf-order.md" in read
