"""The environments, the commands and the workflows: what happens on other machines than this."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from tools import doctor, environments, latest, links
from tools.environments import SetupError

ROOT = environments.ROOT
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


# --- finding a Python ------------------------------------------------------------------------


@pytest.fixture
def machine(monkeypatch):
    """A machine whose Pythons are named in a table, by command."""

    def make(pythons, asked=None):
        monkeypatch.setattr(environments, "python_version", pythons.get)
        monkeypatch.delenv("PYTHON", raising=False)
        if asked:
            monkeypatch.setenv("PYTHON", asked)

    return make


@pytest.mark.parametrize(
    ("pythons", "found"),
    [
        ({"python3": (3, 12)}, "python3"),
        ({"python3": (3, 13), "python3.12": (3, 12)}, "python3.12"),
        ({"python3": (3, 11), "python": (3, 12)}, "python"),
        ({"python3": (3, 11)}, None),
        ({"python3": (3, 8)}, None),
    ],
)
def test_python_3_12_is_taken_by_whatever_name_it_has(machine, pythons, found):
    machine(pythons)
    assert environments.find_python() == found


def test_a_python_of_pyenvs_or_uvs_is_found_behind_a_shim_that_refuses(monkeypatch, tmp_path):
    shim = tmp_path / "bin" / "python3.12"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(shim.parent))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("PYTHON", raising=False)
    assert environments.find_python() is None
    there = []
    for place in ("data/uv/python/cpython-3.12.9-linux", "pyenv/versions/3.12.1"):
        python = tmp_path / place / "bin" / "python3.12"
        python.parent.mkdir(parents=True)
        python.write_text("#!/bin/sh\necho 3 12 cpython\n")
        python.chmod(0o755)
        there.append(str(python))
    assert environments.find_python() == there[0]  # the newer of the two


@pytest.mark.parametrize(
    ("pythons", "said"),
    [({"py": (3, 11)}, "PYTHON=py is Python 3.11"), ({}, "PYTHON=py is not a Python that runs")],
)
def test_another_python_that_was_asked_for_is_refused_with_a_cure(machine, pythons, said):
    machine(pythons, asked="py")
    with pytest.raises(SetupError, match=rf"^{re.escape(said)}.*Name a Python 3\.12[^\n]*$"):
        environments.find_python()


def test_a_python_that_hangs_is_no_python(monkeypatch):
    def hang(command, timeout, **_):
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(environments.subprocess, "run", hang)
    assert environments.python_version("python3") is None


def test_a_python_that_is_not_cpython_is_none(tmp_path):
    other = tmp_path / "python3"
    other.write_text("#!/bin/sh\necho 3 11 pypy\n")
    other.chmod(0o755)
    assert environments.python_version(str(other)) is None
    assert environments.python_version(str(tmp_path / "absent")) is None
    assert environments.python_version(sys.executable) == sys.version_info[:2]


def test_make_takes_the_first_python_that_is_new_enough(tmp_path):
    """Of a `python3` that is too old and a newer one, make runs the newer."""
    for name in ("sh", "sed"):
        (tmp_path / name).symlink_to(shutil.which(name))
    for name, status in (("python3", 1), ("python3.12", 0)):
        script = f'#!/bin/sh\n[ "$1" = -c ] && exit {status}\necho "$0 $*"\n'
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    command = [shutil.which("make"), "-C", ROOT, "--no-print-directory", "environments"]
    env = {"PATH": str(tmp_path)}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.stdout == f"{tmp_path}/python3.12 -m tools.environments\n"
    (tmp_path / "python3.12").unlink()
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.stderr.startswith("error: no Python found: install Python 3.12")


# --- where there is no Python 3.12, another one fetches it ----------------------------------


@pytest.fixture
def checkout(monkeypatch, tmp_path):
    """A checkout in which nothing was installed."""
    for name, place in {"NOW": ".venv", "THEN": ".venv-then", "CACHE": ".cache"}.items():
        monkeypatch.setattr(environments, name, tmp_path / place)
    return tmp_path


def test_the_locked_uv_installs_on_every_python(checkout):
    text = environments.locked_uv().read_text()
    assert re.fullmatch(r"uv==[\d.]+ \\\n( +--hash=sha256:\w{64}( \\)?\n)+( +#.*\n)*", text)
    lock = environments.NOW_LOCK.read_text()
    assert all(line.strip() in lock for line in text.splitlines()[1:])


def test_without_python_3_12_uv_goes_elsewhere_and_fetches_it(checkout, machine, monkeypatch):
    machine({"python3": (3, 13)})
    ran = []
    monkeypatch.setattr(
        environments, "run", lambda *words, cure: ran.append((" ".join(map(str, words)), cure))
    )
    environments.make_uv()
    bootstrap = checkout / ".cache" / "bootstrap"
    venv, pip, fetch = ran
    assert venv[0] == f"{sys.executable} -m venv --clear {bootstrap}"
    assert pip[0].startswith(f"{bootstrap}/bin/python -m pip install")
    assert fetch[0] == f"{bootstrap}/bin/uv venv --clear --python 3.12 {checkout}/.venv"
    assert "install it" in fetch[1]


@pytest.mark.parametrize(
    ("system", "processor", "said"),
    [
        ("win32", "AMD64", "WSL"),
        ("cygwin", "x86_64", "WSL"),
        ("darwin", "x86_64", "Intel Mac"),
        ("darwin", "arm64", None),
        ("linux", "x86_64", None),
        ("linux", "aarch64", None),
    ],
)
def test_a_machine_without_releases_is_told_in_one_line(system, processor, said):
    if said is None:
        environments.check_machine(system, processor)
    else:
        with pytest.raises(SetupError, match=rf"^[^\n]*{said}[^\n]*$"):
            environments.check_machine(system, processor)


def test_windows_is_told_before_anything_is_installed(checkout, monkeypatch):
    monkeypatch.setattr(environments.sys, "platform", "win32")
    monkeypatch.setattr(environments.subprocess, "run", None)
    with pytest.raises(SetupError, match="WSL"):
        environments.main()
    assert not list(checkout.iterdir())
    assert "WSL" in doctor.check_machine()[1]


# --- running a step --------------------------------------------------------------------------


def fail(text):
    """Return a command that prints a text as its error, and fails."""
    return sys.executable, "-c", f"import sys; sys.exit({text!r})"


def test_a_step_that_fails_shows_its_last_words_and_names_the_cure(capsys):
    with pytest.raises(SetupError, match=r"^do this\.$"):
        environments.run(*fail("line\n" * 20 + "why"), cure="do this.")
    assert capsys.readouterr().err.splitlines() == ["line"] * 7 + ["why"]


CERTIFICATE, DISK = r"[^\n]*SSL_CERT_FILE[^\n]*", r"The disk is full: free 4 GB [^\n]*"


@pytest.mark.parametrize(
    ("said", "cure"),
    [
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'))", CERTIFICATE),
        ("invalid peer certificate: UnknownIssuer", CERTIFICATE),
        ("npm error SELF_SIGNED_CERT_IN_CHAIN self-signed certificate in the chain", CERTIFICATE),
        ("ERROR: Could not install: OSError: [Errno 28] No space left on device", DISK),
        ("failed to write to file `/x`: No space left on device (os error 28)", DISK),
        ("Disk quota exceeded (os error 122)", DISK),
    ],
)
def test_a_companys_proxy_and_a_full_disk_are_told_as_what_they_are(said, cure):
    with pytest.raises(SetupError, match=f"^{cure}$"):
        environments.run(*fail(said), cure="check the network.")


def test_a_step_that_fails_on_a_full_disk_need_not_say_so(monkeypatch):
    """As `python -m venv`, which swallows what pip says."""
    full = shutil._ntuple_diskusage(10**9, 10**9, 0)
    monkeypatch.setattr(environments.shutil, "disk_usage", lambda path: full)
    with pytest.raises(SetupError, match="The disk is full"):
        environments.run(*fail("exit status 1"), cure="install venv.")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(30, "Read-only file system", "/a/b"), "/a/b cannot be written (Read-only file"),
        (OSError(28, "No space left on device", "/a/b"), "The disk is full"),
        (SetupError("do this."), "do this."),
    ],
)
def test_whatever_stops_the_installation_is_one_line(monkeypatch, error, said):
    def stop():
        raise error

    monkeypatch.setattr(environments, "main", stop)
    with pytest.raises(SystemExit, match=rf"^error: {re.escape(said)}[^\n]*$"):
        environments.run_main()


def test_a_companys_certificate_reaches_pip_and_npm_too(monkeypatch):
    show = "import os; print(os.environ['PIP_CERT'], os.environ['NODE_EXTRA_CA_CERTS'])"
    for name in ("PIP_CERT", "NODE_EXTRA_CA_CERTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", "/company.pem")
    said = environments.run(sys.executable, "-c", show, cure="")
    assert said.split() == ["/company.pem"] * 2


def test_a_program_that_is_not_there_is_told_in_one_line():
    with pytest.raises(SetupError, match=r"^no-such-program does not run \([^\n]*\)\. do this\.$"):
        environments.run("no-such-program", cure="do this.")


def test_uv_is_looked_for_in_the_checkout_first_and_its_absence_told(checkout, monkeypatch):
    monkeypatch.setattr(environments.sys, "executable", str(checkout / "python"))
    monkeypatch.setattr(environments.shutil, "which", lambda name: None)
    with pytest.raises(SetupError, match="make environments"):
        environments.find_uv()
    for place in ("bin/uv", ".cache/bootstrap/bin/uv", ".venv/bin/uv"):
        uv = checkout / place
        uv.parent.mkdir(parents=True)
        uv.touch()
        monkeypatch.setattr(environments.sys, "executable", str(checkout / "bin" / "python"))
        assert environments.find_uv() == uv


def test_an_environment_that_was_not_finished_is_made_again(checkout):
    def broken():
        raise SetupError("no")

    home = checkout / ".venv"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "python").touch()
    made = []
    environments.ensure(home, "lock 1", lambda: made.append(1))
    environments.ensure(home, "lock 1", lambda: made.append(2))
    with pytest.raises(SetupError):
        environments.ensure(home, "lock 2", broken)
    environments.ensure(home, "lock 1", lambda: made.append(3))
    assert made == [1, 3]


# --- the commands ----------------------------------------------------------------------------


def make(*words):
    """Return what make would run, and its status."""
    command = ["make", "-n", "--no-print-directory", "-o", "environments", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_locking_one_stack_upgrades_nothing():
    said = make("lock-row", "ROW=0.22.0").stdout
    assert said.splitlines()[-1].endswith('-m stacks.measure --lock --rows "0.22.0"')
    assert "--upgrade" not in said
    command = ["make", "--no-print-directory", "-o", "environments", "lock-row"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode
    assert done.stderr.startswith("error: say which row: make lock-row ROW=0.23.0, where")


def test_the_locks_are_made_with_the_checkouts_uv_though_it_is_not_there_yet():
    lines = [line for line in make("lock").stdout.splitlines() if "pip compile" in line]
    assert len(lines) == 5
    assert all(line.startswith(".venv/bin/uv pip compile") for line in lines)
    assert "--extra notebook --extra lab --extra install" in "\n".join(lines)


def test_jupyterlab_starts_for_root_too():
    assert re.search(r'id -u.*" != 0 .*--allow-root', make("lab").stdout)


def test_the_doctor_survives_a_reader_who_has_seen_enough():
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "tools.doctor"]
    done = subprocess.run(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert done.stderr == ""


def test_the_newest_releases_are_those_of_what_a_notebook_needs():
    rows = latest.wanted(["jax<0.5", "numpyro==0.16.1"])
    assert rows[:2] == ["jax<0.5", "numpyro==0.16.1"]
    assert {"equinox", "diffrax", "ipykernel", "matplotlib"} <= set(rows)
    assert not {"jax", "numpyro"} & set(rows)
    assert set(latest.COMPARED) <= set(latest.wanted([]))


def test_links_that_do_not_answer_are_named_once_with_all_their_places():
    rows = [
        ("index", 3, "working", "https://a.org", ""),
        ("index", 9, "broken", "https://b.org", "404 Client Error:\n Not Found"),
        ("late", 5, "broken", "https://b.org", "404 Client Error:\n Not Found"),
        ("late", 7, "timeout", "https://c.org", "timed out"),
    ]
    keys = ("filename", "lineno", "status", "uri", "info")
    text = "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows)
    assert links.bad_links(text) == {
        "https://b.org (broken: 404 Client Error: Not Found)": ["index:9", "late:5"],
        "https://c.org (timeout: timed out)": ["late:7"],
    }


def test_the_links_are_tried_outside_the_site(monkeypatch, tmp_path, capsys):
    """Whatever Sphinx writes goes below `WORK`; without an answer, the log is shown."""
    monkeypatch.setattr(links, "WORK", tmp_path / "links")
    monkeypatch.setattr(links, "OUTPUT", tmp_path / "links" / "output.json")
    seen = []

    def sphinx(command, **_):
        seen.extend(command)
        return subprocess.CompletedProcess(command, 1, "", "no such theme")

    monkeypatch.setattr(links.subprocess, "run", sphinx)
    assert links.main() == 2
    assert seen[seen.index("--path-output") + 1] == str(tmp_path / "links")
    assert "no such theme" in capsys.readouterr().err


# --- the workflows ---------------------------------------------------------------------------


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_no_job_that_runs_packages_has_a_token_that_writes(file):
    workflow = yaml.safe_load(file.read_text())
    default = workflow.get("permissions")
    for name, job in workflow["jobs"].items():
        rights = job.get("permissions", default)
        assert isinstance(rights, dict), f"{name}: say what its token may do"
        steps = job.get("steps", [])
        ours = [step["run"] for step in steps if re.search(r"\bmake\b|\.ci/", step.get("run", ""))]
        if ours:
            assert set(rights.values()) <= {"read"}, f"{name} runs {ours[0]!r}"
            assert "GH_TOKEN" not in json.dumps(job) + json.dumps(workflow.get("env", {}))
            (checkout,) = (s for s in steps if s.get("uses", "").startswith("actions/checkout"))
            assert checkout["with"]["persist-credentials"] is False


def test_pull_requests_get_every_check_and_a_deploy_is_never_cut_short():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "book.yml").read_text())
    jobs = workflow["jobs"]
    steps = [step.get("run") for name in ("pages", "check") for step in jobs[name]["steps"]]
    assert {".ci/run lint pages", '.ci/run "$PART"'} <= set(steps)
    assert jobs["publish"]["needs"] == jobs["notebooks"]["needs"] == "check"
    assert "pull_request" in workflow[True]  # YAML reads `on` as true
    assert "pull_request" in str(workflow["concurrency"]["cancel-in-progress"])


def test_the_weekly_issues_are_also_closed():
    text = (ROOT / ".github" / "workflows" / "issue.yml").read_text()
    assert all(f"gh issue {verb}" in text for verb in ("list", "edit", "create", "close"))
