/* The second door in the browser: the algorithm of trace_evidence/symptoms.py, with the same data.
   It answers the box on the error index, and stands above the results of the site's search. */
"use strict";

(() => {
  const { rich, address, data, say } = globalThis.traceEvidence;
  function stems(text, data) {
    const dull = new Set(data.dull);
    const found = new Set();
    for (let word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
      if (dull.has(word)) continue;
      for (const [pattern, replacement] of data.endings) {
        word = word.replace(new RegExp(pattern), replacement.replace(/\\(\d)/g, "$$$1"));
      }
      found.add(Object.hasOwn(data.same, word) ? data.same[word] : word);
    }
    // Chinese has no spaces between words: its characters count in pairs, as in bookkit.publish.
    for (const part of text.match(/[\u3400-\u9fff]{2,}/g) ?? []) {
      for (let i = 0; i < part.length - 1; i++) found.add(part.slice(i, i + 2));
    }
    return [...found];
  }

  /* Returns [[slug, score], …], the likeliest first, as `search` does in Python. */
  function search(words, data) {
    const scores = new Map();
    for (const stem of stems(words, data)) {
      const row = Object.hasOwn(data.points, stem) ? data.points[stem] : {};
      for (const [slug, points] of Object.entries(row)) {
        scores.set(slug, (scores.get(slug) ?? 0) + points);
      }
    }
    const place = new Map(data.order.map((slug, number) => [slug, number]));
    return [...scores]
      .sort(([a, x], [b, y]) => y - x || place.get(a) - place.get(b))
      .slice(0, data.most);
  }

  function show(words, data, list, status) {
    const found = search(words, data);
    list.replaceChildren(
      ...found.map(([slug]) => {
        const { title, href, symptom } = data.cases[slug];
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = address(href);
        link.append(...rich(title));
        item.append(link, say(": "), ...rich(symptom));
        return item;
      }),
    );
    if (!words.trim()) status.textContent = "";
    else if (found.length) status.textContent = say("It may be one of these:");
    else status.textContent = say("No case has these words; the table below lists all.");
  }

  globalThis.traceEvidence = { ...globalThis.traceEvidence, symptoms: search };

  document.addEventListener("DOMContentLoaded", () => {
    const list = document.getElementById("symptom-findings");
    if (!list) return;
    const status = document.getElementById("symptom-status");
    const box = document.getElementById("symptoms");
    if (box) {
      const words = document.getElementById("symptom-words");
      const run = async () => show(words.value, (await data()).symptoms, list, status);
      words.addEventListener("focus", data);
      words.addEventListener("input", run);
      box.addEventListener("submit", (event) => {
        event.preventDefault();
        if (words.value.trim()) run();
        else status.textContent = say("Write a few words about what you see.");
      });
      box.hidden = false;
    } else {
      const words = new URLSearchParams(location.search).get("q");
      if (!words) return;
      data().then(({ symptoms }) => {
        const found = search(words, symptoms);
        if (found.length && found[0][1] >= symptoms.enough) {
          show(words, symptoms, list, status);
          document.getElementById("symptom-block").hidden = false;
        }
      });
    }
  });
})();
