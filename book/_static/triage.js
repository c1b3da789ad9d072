/* Triage in the browser: the algorithm of trace_evidence/triage.py, with the same rules.
   The rules come from this site; what you paste stays in the page. */
"use strict";

(() => {
  const { rich, address, data, say } = globalThis.traceEvidence;
  const compiled = new Map();
  const regex = (pattern) => {
    if (!compiled.has(pattern)) compiled.set(pattern, new RegExp(pattern, "gm"));
    const found = compiled.get(pattern);
    found.lastIndex = 0;
    return found;
  };
  const count = (text, start, end) => text.slice(start, end).split("\n").length - 1;

  /* Of what stands in the middle of a long text, only the ends of lines are left. */
  function clean(raw, rules) {
    let text = raw.replace(/[\ud800-\udfff]/g, "?");
    const [[pattern, replacement], ...others] = rules.cleaning;
    text = text.replace(regex(pattern), replacement);
    if (text.length > rules.head + rules.tail) {
      const dropped = count(text, rules.head, text.length - rules.tail);
      text = text.slice(0, rules.head) + "\n".repeat(Math.max(1, dropped)) + text.slice(-rules.tail);
    }
    for (const [found, put] of others) text = text.replace(regex(found), put);
    return `${text}\n`;
  }

  function strongest(text, signatures) {
    let best = null;
    for (const [pattern, points, section] of signatures) {
      if (best === null || points > best.points) {
        const found = regex(pattern).exec(text);
        if (found) best = { points, start: found.index, section };
      }
    }
    return best;
  }

  function lineAt(text, start, length) {
    const begin = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
    const end = text.indexOf("\n", start);
    const line = text.slice(begin, end < 0 ? text.length : end).replace(/^ +| +$/g, "");
    return {
      number: count(text, 0, start) + 1,
      line: line.length <= length ? line : line.slice(0, length) + "…",
    };
  }

  function releasesIn(text, rules) {
    const found = {};
    for (const [, name, release] of text.matchAll(regex(rules.release))) {
      (found[name.toLowerCase()] ??= new Set()).add(release);
    }
    const one = Object.keys(rules.libraries).filter((name) => found[name]?.size === 1);
    return Object.fromEntries(one.map((name) => [name, [...found[name]][0]]));
  }

  const numbers = (release) => (release.match(/[0-9]+/g) ?? []).slice(0, 3).map(Number);

  /* Whether one list of numbers is at most another, as Python compares lists. */
  function atMost(one, other) {
    for (let i = 0; i < Math.min(one.length, other.length); i++) {
      if (one[i] !== other[i]) return one[i] < other[i];
    }
    return one.length <= other.length;
  }

  function occurs(ranges, releases) {
    const known = Object.keys(ranges).filter((name) => name in releases);
    for (const name of known) {
      const here = numbers(releases[name]);
      const within = ([first, last, open]) =>
        atMost(numbers(first), here) && (open || atMost(here, numbers(last)));
      if (!ranges[name].some(within)) return false;
    }
    return known.length ? true : null;
  }

  function versionsOf(rule, releases, rules) {
    const found = occurs(rule.ranges, releases);
    const these = Object.keys(rules.libraries)
      .filter((name) => name in rule.ranges && name in releases)
      .map((name) => `${rules.libraries[name]} ${releases[name]}`);
    const word = { true: "True", false: "False", null: "None" }[found];
    const sentence = rules.says[`${rule.kind} ${word}`]
      .replace("{these}", () => say("{releases} (shown in the text)", { releases: these.join(say(" and ")) }))
      .replace("{ranges}", () => rule.versions);
    return [found, sentence];
  }

  /* Returns {findings, releases}, as `triage` does in Python. */
  function triage(raw, rules) {
    const text = clean(raw, rules);
    const releases = releasesIn(text, rules);
    const found = [];
    const scores = {};
    for (const rule of rules.rules) {
      const strong = strongest(text, rule.signatures);
      if (strong === null) continue;
      const evidence = rule.evidence.filter(([pattern]) => regex(pattern).test(text));
      const more = evidence.reduce((sum, row) => sum + row[1], 0);
      let score = strong.points + more;
      if (rule.needs && !evidence.length) continue;
      let [known, versions] = [null, ""];
      if (rule.kind !== "everyday") [known, versions] = versionsOf(rule, releases, rules);
      if (rule.kind === "case") {
        score = Math.max(score, (scores[rule.family] ?? 0) + more);
        score += known === false ? -rules.far : 1;
      }
      if (score < rules.claim) continue;
      scores[rule.id] = score;
      const section = rule.kind === "chapter" && !known ? "cases" : strong.section;
      const because = evidence.filter((row) => row[1] > 0 && row[2]).map((row) => row[2]);
      const place = lineAt(text, strong.start, rules.line);
      found.push({ id: rule.id, score, ...place, because, section, occurs: known, versions, rule });
    }
    found.sort((a, b) => b.score - a.score);
    const told = new Set();
    const findings = [];
    for (const finding of found) {
      const known = told.has(finding.id) || told.has(finding.rule.family);
      if (finding.score > found[0].score - rules.far && !known) {
        findings.push(finding);
        if (finding.rule.kind === "everyday") finding.rule.look.forEach(([id]) => told.add(id));
      }
    }
    return { findings: findings.slice(0, rules.most), releases };
  }

  /* The rows of the releases that compute wrong numbers and that another one replaces, as in Python. */
  function knownBad(releases, avoid) {
    const here = "jax" in releases ? { jaxlib: releases.jax, ...releases } : releases;
    return avoid
      .filter(({ library, since, until }) => {
        const release = numbers(here[library] ?? "");
        const within = atMost(numbers(since), release) && atMost(release, numbers(until));
        return release.length && until && within;
      })
      .map((row) => ({ ...row, release: here[row.library] }));
  }

  function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    made.append(...rich(text));
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function plain(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  /* A list of terms; a value is several texts and elements. */
  function terms(rows) {
    const list = document.createElement("dl");
    for (const [key, ...values] of rows) {
      const value = document.createElement("dd");
      value.append(...values);
      list.append(element("dt", key), value);
    }
    return list;
  }

  const WORDS = 400;  // characters of a text that are searched for

  const KINDS = { chapter: say("Chapter"), case: say("Case"), everyday: say("Everyday error") };

  function links(rows) {
    return rows.flatMap(([title, href], number) => [
      number ? say("; ") : "",
      element("a", title, { href: address(href) }),
    ]);
  }

  /* A long list of links opens with a click. */
  function folded(list, count) {
    if (count <= 3) return list;
    const details = element("details", "");
    details.append(element("summary", say("{count} pages of this book", { count })), ...list);
    return [details];
  }

  function describe(finding) {
    const { rule } = finding;
    const item = element("li", "", { class: `triage-card triage-${rule.kind}` });
    const href = address(rule.kind === "everyday" ? rule.here : `${rule.href}#${finding.section}`);
    const copied = [rule.says, rule.cure, finding.versions];
    const head = element("p", "", { class: "triage-head" });
    const kind = element("span", KINDS[rule.kind], { class: "triage-kind" });
    head.append(element("a", rule.title, { href }), " ", kind);
    item.append(head);
    const rows = [[say("What it is"), ...rich(rule.says)]];
    rows.push([rule.kind === "everyday" ? say("Try first") : say("Cure"), ...rich(rule.cure)]);
    if (finding.versions) rows.push([say("Versions"), ...rich(finding.versions)]);
    if (rule.question) rows.push([say("Ask"), ...rich(rule.question)]);
    if (rule.look.length) {
      const look = links(rule.look.map(([, ...shown]) => shown));
      rows.push([rule.kind === "chapter" ? say("Its cases") : say("Or"), ...look]);
    }
    if (rule.printed.length) rows.push([say("Printed by"), ...folded(links(rule.printed), rule.printed.length)]);
    if (rule.kind === "everyday") rows.push([say("Read more"), element("a", rule.from, { href: address(rule.href) })]);
    const because = rich(finding.because.length ? ` (${finding.because.join("; ")})` : "");
    if (finding.line) {
      rows.push([say("Matched"), say("line {number}: ", { number: finding.number }), plain("code", finding.line), ...because]);
    }
    item.append(terms(rows), globalThis.traceEvidence.copier(rule.title, href, copied));
    return item;
  }

  function warn({ library, release, symptom, cure, flag, href }) {
    const item = element("li", "", { class: "triage-card triage-avoid" });
    const head = element("p", "", { class: "triage-head" });
    const says = say("{release} computes wrong numbers.", { release: `${library} ${release}` });
    head.append(element("a", says, { href: address(href) }));
    const rows = [[say("What it is"), ...rich(symptom)], [say("Cure"), ...rich(cure)]];
    if (flag) rows.push([say("Or set"), plain("code", `XLA_FLAGS=${flag}`)]);
    item.append(head, terms(rows));
    return item;
  }

  /* The findings that an address names: the text itself stays with who had the error. */
  function named(names, releases, rules) {
    return names.flatMap((name) => rules.rules.filter(({ id }) => id === name)).map((rule) => {
      const [known, versions] = rule.kind === "everyday" ? [null, ""] : versionsOf(rule, releases, rules);
      const section = rule.kind === "chapter" && !known ? "cases" : rule.signatures[0][2];
      return { id: rule.id, because: [], section, versions, rule };
    });
  }

  function show(findings, bad, status, list) {
    list.replaceChildren(...bad.map(warn), ...findings.map(describe));
    status.replaceChildren();
    if (findings.length) {
      status.append(...rich(say("This looks like “{title}”.", { title: findings[0].rule.title })));
    }
  }

  /* Writes what is known of an error, or else what a search for the words finds. Returns what the
     address says of it; nothing where nothing is found. */
  function answer(text, { triage: rules, documents }, status, list) {
    show([], [], status, list);
    if (!text.trim()) return {};
    const { findings, releases } = triage(text, rules);
    const bad = knownBad(releases, rules.avoid);
    if (!findings.length && !bad.length) {
      const words = text.trim().slice(0, WORDS);
      return globalThis.traceEvidence.showHits(words, documents, list, status) ? { q: words } : {};
    }
    show(findings, bad, status, list);
    return { error: findings.map(({ id }) => id).join(" "), releases: Object.entries(releases).flat().join(" ") };
  }

  globalThis.traceEvidence = { ...globalThis.traceEvidence, triage, knownBad };

  document.addEventListener("DOMContentLoaded", () => {
    const words = new URLSearchParams(location.search).get("q");
    const block = document.getElementById("search-answers");
    if (block && words) {
      const results = document.getElementById("search-results");
      results.style.visibility = "hidden";  // until what is above them is there: nothing jumps
      data().then((known) => {
        block.hidden = !Object.keys(answer(words, known, ...block.children)).length;
      }).finally(() => { results.style.visibility = ""; });
    }
    const box = document.getElementById("triage");
    if (!box) return;
    const text = document.getElementById("triage-text");
    const status = document.getElementById("triage-status");
    const list = document.getElementById("triage-findings");
    const { ask, asked } = globalThis.traceEvidence;
    const tell = (told) => ask({ error: "", releases: "", q: "", ...told });
    const run = async () => {
      tell(answer(text.value, text.value.trim() ? await data() : {}, status, list));
    };
    /* What an address asks for, where the box is empty. */
    const read = async () => {
      const [names, words] = ["error", "q"].map((key) => asked().get(key) ?? "");
      if (!names && !words) return;
      text.value = words;
      if (!names) return run();
      const { triage: rules } = await data();
      const releases = releasesIn(asked().get("releases") ?? "", rules);
      show(named(names.split(" "), releases, rules), knownBad(releases, rules.avoid), status, list);
    };
    let waiting;
    text.addEventListener("focus", data);
    text.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(run, 200);
    });
    box.addEventListener("submit", (event) => {
      event.preventDefault();
      if (text.value.trim()) {
        run();
      } else {
        status.textContent = say("Nothing is written yet: put an error into the box, or some words.");
        text.focus();
      }
    });
    box.addEventListener("reset", () => tell(answer("", {}, status, list)));
    addEventListener("hashchange", read);
    /* Back brings the text back, after the scripts ran. */
    addEventListener("pageshow", () => (text.value.trim() ? run() : read()));
  });
})();
