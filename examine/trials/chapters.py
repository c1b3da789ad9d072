"""What chapters two, three and four begin with, as models: `examine` finds each on the old stack.

.venv-then/bin/python -m trials.chapters     print {chapter: the pages that are named}
"""

from __future__ import annotations

import json
import sys
from typing import Any

import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.contrib.control_flow import scan
from numpyro.infer.autoguide import AutoDelta


def with_deterministic() -> None:
    """Two latent sites and a deterministic one."""
    a = numpyro.sample("a", dist.Normal(0.0, 1.0))
    b = numpyro.sample("b", dist.Normal(a, 1.0))
    numpyro.deterministic("c", a + b)


PRIOR = dist.TruncatedNormal(0.0, 1.0, low=-1.0, high=2.0)


def with_shared_prior(data: Any) -> None:
    """One latent site whose prior lives outside."""
    level = numpyro.sample("level", PRIOR)
    numpyro.sample("data", dist.Normal(level, 1.0), obs=data)


def with_scan() -> None:
    """Four steps of five members with two coordinates each."""

    def step(carry: Any, _: Any) -> tuple[Any, Any]:
        with numpyro.plate("member", 5):
            numpyro.sample("x", dist.MultivariateNormal(jnp.zeros(2), jnp.eye(2)))
        return carry, None

    scan(step, None, None, length=4)


def main() -> int:
    """Examine the three, and print which pages the findings name."""
    from examine_model import examine

    guide = AutoDelta(handlers.block(handlers.seed(with_deterministic, 0), hide=["b"]))
    reports = {
        "autoguide-under-vmap": examine(with_deterministic, guide=guide),
        "parallel-truncated-normal": examine(with_shared_prior, jnp.arange(3.0)),
        "mvn-inside-scan": examine(with_scan),
    }
    found = {
        name: sorted({case for row in report.findings for case in row.cases})
        for name, report in reports.items()
    }
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
