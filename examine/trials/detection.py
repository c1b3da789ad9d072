"""Examine each silent case of the casebook as a model, and its cured twin.

    python -m trials.detection                 print the table
    python -m trials.detection leaf-order      these cases only, with their reports

The exit status is 1 where a case is not found, or a twin is alarmed.
"""

from __future__ import annotations

import argparse
import sys
import time

from . import load_record, pairs, write_record


def measure(name: str) -> dict:
    """Examine the two models of a case.

    Returns:
        `found`: the checks that found the broken one and name the case; `hinted`: those that hint
        at it; `other`: those that found it and name another; `alarms`: what was said of the cured
        one; `reports`: both; `seconds`: of the first.
    """
    from examine_model import examine

    made = pairs.PAIRS[name](False)
    begun = time.process_time()
    broken = examine(made.model, *made.args, **made.options)
    seconds = time.process_time() - begun
    made = pairs.PAIRS[name](True)
    twin = examine(made.model, *made.args, **made.options)
    named = sorted({found.check for found in broken.findings if name in found.cases})
    hinted = {hint.check for hint in broken.hints if name in hint.cases}
    hinted -= {hint.check for hint in twin.hints if name in hint.cases}
    other = sorted({found.check for found in broken.findings} - set(named))
    alarms = [f"{found.check}: {found.says}" for found in twin.findings]
    return {"found": named, "hinted": sorted(hinted), "other": other, "alarms": alarms,
            "reports": (broken, twin), "seconds": seconds}  # fmt: skip


def changes(before: dict[str, dict], now: dict[str, dict]) -> list[str]:
    """Return in words what another release finds differently; a repaired case is not found."""
    rows = []
    for name, row in now.items():
        old = before.get(name, {"found": [], "alarms": []})
        if bool(old["found"]) != bool(row["found"]):
            rows.append(f"{name}: {'found' if row['found'] else 'not found'} by examine now")
        if bool(old["alarms"]) != bool(row["alarms"]):
            rows.append(f"{name}: its cured twin is {'' if row['alarms'] else 'no longer '}alarmed")
    return rows


def main() -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--write", action="store_true", help="keep the record")
    parser.add_argument("--compare", action="store_true", help="what the record has otherwise")
    options = parser.parse_args()
    rows: dict[str, dict] = {}
    for name in options.cases or pairs.PAIRS:
        try:
            rows[name] = measure(name)
        except Exception as error:  # a release in which the program cannot be written
            print(f"{name:26} cannot be made here: {type(error).__name__}: {error}"[:150])
            rows[name] = {"found": [], "hinted": [], "other": [], "alarms": []}
            continue
        reports, seconds = rows[name].pop("reports"), rows[name].pop("seconds")
        found, hinted, other, alarms = rows[name].values()
        said = ", ".join([*found, *(f"hint of {check}" for check in hinted)])
        said = said or f"not found {other}"
        print(f"{name:26} {said:12} {seconds:5.1f} s  {'; '.join(alarms)}", flush=True)
        if options.cases:
            print(f"\n{reports[0]}\n\n{reports[1]}\n")
    missed = [name for name, row in rows.items() if not (row["found"] or row["hinted"])]
    alarmed = [name for name, row in rows.items() if row["alarms"]]
    print(f"{len(rows) - len(missed)} of {len(rows)} found, {len(alarmed)} cured twins alarmed")
    if options.write and not options.cases:
        write_record(cases=rows, not_applicable=pairs.NOT_APPLICABLE)
    if options.compare:
        changed = changes(load_record()["cases"], rows)
        print("\n".join(changed) or "as recorded")
        return int(bool(changed))
    return int(bool(missed or alarmed))


if __name__ == "__main__":
    sys.exit(main())
