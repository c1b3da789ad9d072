/* Triage in the browser: the algorithm of trace_evidence/triage.py, with the same rules.
   The rules stand in the page, what you paste stays there, and nothing is sent anywhere. */
"use strict";

(() => {
  const compiled = new Map();
  const regex = (pattern) => {
    if (!compiled.has(pattern)) compiled.set(pattern, new RegExp(pattern, "gm"));
    const found = compiled.get(pattern);
    found.lastIndex = 0;
    return found;
  };

  function clean(text, rules) {
    text = text.replace(/[\ud800-\udfff]/g, "?");
    if (text.length > rules.head + rules.tail) {
      text = text.slice(0, rules.head) + "\n" + text.slice(-rules.tail);
    }
    for (const [pattern, replacement] of rules.cleaning) {
      text = text.replace(regex(pattern), replacement);
    }
    return text + "\n";
  }

  function strongest(text, signatures) {
    let best = null;
    for (const [pattern, points, section] of signatures) {
      if (best === null || points > best.points) {
        const found = regex(pattern).exec(text);
        if (found) best = { points, section, start: found.index };
      }
    }
    return best;
  }

  function lineAt(text, start, length) {
    const begin = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
    const end = text.indexOf("\n", start);
    const line = text.slice(begin, end < 0 ? text.length : end).replace(/^ +| +$/g, "");
    return {
      number: text.slice(0, start).split("\n").length,
      line: line.length <= length ? line : line.slice(0, length) + "…",
    };
  }

  function casesIn(text, rules) {
    const found = [];
    for (const rule of rules.cases) {
      const places = rule.wordings.map((pattern) => regex(pattern).exec(text));
      const place = places.find((one) => one !== null);
      const hits = rule.evidence.filter((pattern) => regex(pattern).test(text)).length;
      if (place === undefined || (rule.evidence.length && !hits)) continue;
      found.push({ id: rule.id, hits, ...lineAt(text, place.index, rules.line), rule });
    }
    found.sort((a, b) => b.hits - a.hits);
    return found.slice(0, rules.most_cases);
  }

  /* Returns {findings, other, cases}, as `triage` does in Python. */
  function triage(text, rules) {
    text = clean(text, rules);
    const findings = [];
    for (const rule of rules.failures) {
      const signature = strongest(text, rule.signatures);
      if (signature === null) continue;
      const evidence = rule.evidence.filter(([pattern]) => regex(pattern).test(text));
      const score = evidence.reduce((sum, row) => sum + row[1], signature.points);
      if (score >= rules.claim) {
        const because = evidence.filter((row) => row[1] > 0).map((row) => row[2]);
        const place = lineAt(text, signature.start, rules.line);
        findings.push({ id: rule.id, score, ...place, because, section: signature.section, rule });
      }
    }
    findings.sort((a, b) => b.score - a.score);
    const cases = casesIn(text, rules);
    if (findings.length) return { findings, other: null, cases };
    let known = null;
    for (const rule of rules.others) {
      const signature = strongest(text, rule.signatures);
      if (signature && (known === null || signature.points > known.points)) {
        known = { points: signature.points, rule };
      }
    }
    return { findings, other: known && known.rule, cases };
  }

  function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  /* A list of terms; a value is a text, or several texts and elements. */
  function terms(rows) {
    const list = element("dl", "");
    for (const [key, ...values] of rows) {
      const value = element("dd", "");
      value.append(...values);
      list.append(element("dt", key), value);
    }
    return list;
  }

  function describe(finding) {
    const { rule } = finding;
    const item = element("li", "");
    item.append(element("a", rule.title, { href: rule.href, class: "triage-chapter" }));
    const rows = [["Matched", `line ${finding.number}: `, element("code", finding.line)]];
    if (finding.because.length) rows.push(["And", finding.because.join("; ")]);
    rows.push(["Fix", element("a", "what to change", { href: `${rule.href}#${finding.section}` })]);
    rows.push(["Versions", rule.versions], ["Ask", rule.question]);
    item.append(terms(rows));
    return item;
  }

  function describeCase(found) {
    const { rule } = found;
    const item = element("li", "Still fails today: ", { class: "triage-case" });
    item.append(element("a", rule.title, { href: rule.href, class: "triage-chapter" }));
    const rows = [["Matched", `line ${found.number}: `, element("code", found.line)]];
    rows.push(["Cure", rule.cure], ["Versions", rule.versions]);
    if (rule.question) rows.push(["Ask", rule.question]);
    item.append(terms(rows));
    return item;
  }

  function answer(text, rules, status, list) {
    list.replaceChildren();
    if (!text.trim()) {
      status.textContent = "";
      return;
    }
    const { findings, other, cases } = triage(text, rules);
    list.append(...findings.map(describe), ...cases.map(describeCase));
    if (findings.length) {
      const titles = findings.map((finding) => `“${finding.rule.title}”`);
      status.textContent = `This looks like ${titles.join(", or ")}.`;
    } else if (other) {
      status.textContent = `None of the five failures. ${other.says} `;
      status.append(element("a", "Read more about it.", { href: other.href }));
    } else if (cases.length) {
      status.textContent = `This looks like “${cases[0].rule.title}”.`;
    } else {
      status.textContent =
        "None of the five failures, and no other error that is known here. " +
        "Paste the whole traceback, with its last lines.";
    }
  }

  globalThis.traceEvidence = { triage };

  if (typeof document === "undefined") return;
  document.addEventListener("DOMContentLoaded", () => {
    const box = document.getElementById("triage");
    if (!box) return;
    const rules = JSON.parse(document.getElementById("triage-rules").textContent);
    const text = document.getElementById("triage-text");
    const status = document.getElementById("triage-status");
    const list = document.getElementById("triage-findings");
    const run = () => answer(text.value, rules, status, list);
    let waiting;
    text.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(run, 200);
    });
    box.addEventListener("submit", (event) => {
      event.preventDefault();
      run();
    });
    box.addEventListener("reset", () => answer("", rules, status, list));
    box.hidden = false;
    run();
  });
})();
