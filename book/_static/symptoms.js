/* The second door in the browser: the algorithm of trace_evidence/symptoms.py, with the same data.
   It answers the box where no error is pasted, and stands above the results of the site's search. */
"use strict";

(() => {
  const { rich, address, data, say } = globalThis.traceEvidence;
  function stems(text, data) {
    const dull = new Set(data.dull);
    const found = new Set();
    for (let word of new Set(text.toLowerCase().match(/[a-z0-9]+/g))) {
      if (dull.has(word) || word[0] <= "9") continue;
      for (const [pattern, replacement] of data.endings) {
        word = word.replace(new RegExp(pattern), replacement.replace(/\\(\d)/g, "$$$1"));
      }
      found.add(Object.hasOwn(data.same, word) ? data.same[word] : word);
    }
    // Chinese has no spaces between words: its characters count in pairs.
    for (const part of text.match(/[\u3400-\u9fff]{2,}/g) ?? []) {
      for (let i = 0; i < part.length - 1; i++) {
        const pair = part.slice(i, i + 2);
        if (!dull.has(pair)) found.add(pair);
      }
    }
    return [...found];
  }

  /* Returns [[name, score], …], the likeliest first, as `rank` does in Python. */
  function search(words, data) {
    const found = new Map();
    let total = 0;
    for (const stem of stems(words, data)) {
      const entries = Object.hasOwn(data.points, stem) ? data.points[stem] : [];
      // The fewer entries have a stem, the more it weighs; a stem that none has weighs most.
      const share = (1 + data.order.length) / Math.max(1, entries.length);
      const weight = Math.trunc(10 * Math.log(share) + 0.5);
      total += weight;
      for (const [place, points] of entries) {
        const row = found.get(place) ?? { points: 0, weight: 0, hits: 0 };
        row.points += points;
        row.weight += weight;
        row.hits += 1;
        found.set(place, row);
      }
    }
    const scores = [];
    let elsewhere = 0;
    for (const [place, { points, weight, hits }] of found) {
      const score = hits > 1 ? Math.trunc((points * weight) / total) : 0;
      if (Object.hasOwn(data.entries, data.order[place])) scores.push([place, score]);
      else elsewhere = Math.max(elsewhere, score);
    }
    return scores
      .map(([place, score]) => [place, score - Math.trunc(elsewhere / 2)])
      .filter(([, score]) => score >= data.enough)
      .sort(([a, x], [b, y]) => y - x || a - b)
      .slice(0, data.most)
      .map(([place, score]) => [data.order[place], score]);
  }

  function item(...content) {
    const made = document.createElement("li");
    made.append(...content);
    return made;
  }

  function show(words, data, list, status) {
    const found = search(words, data);
    const [unknown, ...advice] = data.advice;
    const entries = found.map(([name]) => {
      const { title, href, symptom } = data.entries[name];
      const link = document.createElement("a");
      link.href = address(href);
      link.append(...rich(title));
      return item(link, say(": "), ...rich(symptom));
    });
    const asked = words.trim() !== "";
    const sure = found.length > 0 && found[0][1] >= data.sure;
    const tips = asked && !sure ? advice.map((text) => item(...rich(text))) : [];
    list.replaceChildren(...entries, ...tips);
    const known = sure ? say("It may be one of these:") : found.length ? data.unsure : unknown;
    status.textContent = asked ? known : "";
  }

  globalThis.traceEvidence = { ...globalThis.traceEvidence, symptoms: search, showSymptoms: show };

  document.addEventListener("DOMContentLoaded", () => {
    const block = document.getElementById("symptom-block");
    const words = new URLSearchParams(location.search).get("q");
    if (!block || !words) return;
    const results = document.getElementById("search-results");
    results.style.visibility = "hidden";  // until what is above them is there: nothing jumps
    data().then(({ symptoms }) => {
      if (!search(words, symptoms).length) return;
      const status = document.getElementById("symptom-status");
      show(words, symptoms, document.getElementById("symptom-findings"), status);
      block.hidden = false;
    }).finally(() => { results.style.visibility = ""; });
  });
})();
