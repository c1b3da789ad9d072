"""The program itself points to the page of its failure, and says nothing of others."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

RUNS = """
import sys
import jax, jax.numpy as jnp, numpyro, numpyro.distributions as dist, trace_evidence
from numpyro.infer import MCMC, NUTS

trace_evidence.watch()
trace_evidence.watch()

def model(least):
    x = numpyro.sample("x", dist.Normal())
    numpyro.factor("cut", jnp.where(x > least, jnp.nan, 0.0))

for least in (jnp.inf, 0.5):
    print("trace-evidence: least", least, file=sys.stderr)
    MCMC(NUTS(model), num_warmup=200, num_samples=200, progress_bar=False).run(
        jax.random.key(0), least
    )
"""
LEAK = """
import jax, trace_evidence
trace_evidence.watch()
kept = []
jax.jit(lambda x: kept.append(x))(1.0)
def test_it():
    kept[0] + 1
"""
PAGE = "trace-evidence: A tracer has leaked: https://"


def said(*words, folder):
    done = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True)
    return [line for line in (done.stdout + done.stderr).splitlines() if "trace-evidence: " in line]


def test_an_exception_is_followed_by_its_page(tmp_path):
    (line,) = said("-c", f"{LEAK}\ntest_it()", folder=tmp_path)
    assert line.startswith(PAGE)
    assert not said("-c", "import trace_evidence\ntrace_evidence.watch()\n1 / 0", folder=tmp_path)


def test_a_run_that_diverged_is_followed_by_their_number_and_a_good_one_by_nothing(tmp_path):
    good, bad, line = said("-c", RUNS, folder=tmp_path)
    assert (good, bad) == ("trace-evidence: least inf", "trace-evidence: least 0.5")
    assert "of 200 transitions diverged: https://" in line


def test_pytest_names_the_page_of_a_test_that_fails(tmp_path):
    (tmp_path / "test_it.py").write_text(LEAK)
    (line,) = said("-m", "pytest", "-p", "trace_evidence.watching", "-rN", folder=tmp_path)
    assert line.startswith(PAGE)
