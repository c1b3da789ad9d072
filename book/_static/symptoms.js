/* The second door in the browser: the algorithm of trace_evidence/symptoms.py, with the same data.
   It answers where no error is pasted. */
"use strict";

(() => {
  const { rich, address, data, say } = globalThis.traceEvidence;
  function stems(text, data) {
    const found = new Set();
    for (let word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
      if (word[0] <= "9") continue;
      for (const [pattern, replacement] of data.endings) {
        word = word.replace(new RegExp(pattern), replacement.replace(/\\(\d)/g, "$$$1"));
      }
      found.add(word);
    }
    // Chinese has no spaces between words: its characters count in pairs.
    for (const part of text.match(/[\u3400-\u9fff]{2,}/g) ?? []) {
      for (let i = 0; i < part.length - 1; i++) found.add(part.slice(i, i + 2));
    }
    return [...found];
  }

  /* Returns [[name, percent], …], the likeliest first, as `rank` does in Python. */
  function search(words, data) {
    const known = stems(words, data).filter((stem) => Object.hasOwn(data.counts, stem));
    if (known.length < 2) return [];
    const all = data.smoothing * Object.keys(data.counts).length;
    const logs = data.totals.map((n) => known.length * Math.log(data.smoothing / (n + all)));
    for (const value of known.flatMap((stem) => data.counts[stem])) {
      const n = 1 + Math.trunc(value / logs.length);
      logs[value % logs.length] += Math.log(1 + n / data.smoothing);
    }
    const best = Math.max(...logs);
    const power = Math.min(1, data.few / known.length);
    const chances = logs.map((value) => Math.exp(power * (value - best)));
    const total = chances.reduce((sum, chance) => sum + chance, 0);
    const found = chances
      .map((chance, place) => [data.order[place], (100 * chance) / total])
      .filter(([name]) => Object.hasOwn(data.entries, name));
    if (found.reduce((sum, [, percent]) => sum + percent, 0) < data.enough) return [];
    return found
      .sort(([, x], [, y]) => y - x)
      .slice(0, data.most)
      .filter(([, percent]) => percent >= data.least)
      .map(([name, percent]) => [name, Math.trunc(percent + 0.5)]);
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
    return found.length > 0;
  }

  globalThis.traceEvidence = { ...globalThis.traceEvidence, symptoms: search, showSymptoms: show };
})();
