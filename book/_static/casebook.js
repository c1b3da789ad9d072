/* The filters of the index of cases. Without scripts the whole table stands there. */
(() => {
  "use strict";
  const form = document.getElementById("case-filter");
  const table = document.querySelector("table.case-index");
  if (!form || !table) return;
  const known = JSON.parse(document.getElementById("case-data").textContent);
  const rows = [...table.tBodies[0].rows].map(row => {
    const link = row.querySelector("a[href]");
    const slug = link.getAttribute("href").replace(/\.html.*/, "").replace(/.*\//, "");
    return {row, slug, text: row.textContent.toLowerCase()};
  });
  const numbers = text => text.split(".").map(part => parseInt(part, 10) || 0);
  const before = (one, other) => {
    const [a, b] = [numbers(one), numbers(other)];
    for (let i = 0; i < 3; i++) if ((a[i] || 0) !== (b[i] || 0)) return (a[i] || 0) < (b[i] || 0);
    return false;
  };
  /* A library that was not asked for, or that does not decide, leaves a case in. A range is open
     where it holds for the newest release that was measured. */
  const occurs = (ranges, library, version) => {
    if (!version || !(library in ranges)) return true;
    if (/^(latest|newest|now)$/i.test(version)) return ranges[library].some(([, , open]) => open);
    return ranges[library].some(([first, last, open]) =>
      !before(version, first) && (open || !before(last, version)));
  };
  const show = () => {
    const asked = Object.fromEntries(new FormData(form));
    const words = asked.words.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const {row, slug, text} of rows) {
      const [kind, library, symptoms, ranges, costs] = known[slug];
      const fits = words.every(word => text.includes(word))
        && (!asked.kind || asked.kind === kind)
        && (!asked.costs || asked.costs === String(costs))
        && (!asked.library || asked.library === library)
        && (!asked.symptom || symptoms.includes(asked.symptom))
        && ["numpyro", "jax", "equinox"].every(name => occurs(ranges, name, asked[name].trim()));
      row.hidden = !fits;
      count += fits;
    }
    document.getElementById("case-count").textContent =
      globalThis.traceEvidence.say("{count} of {all} cases", {count, all: rows.length});
  };
  /* What is asked stands in the address, as #/?library=jax, and is asked again from there. */
  const write = () => {
    show();
    globalThis.traceEvidence.ask(Object.fromEntries(new FormData(form)));
  };
  const read = () => {
    const asked = globalThis.traceEvidence.asked();
    if (!asked.size) return;
    for (const field of form.querySelectorAll("[name]")) field.value = asked.get(field.name) ?? "";
    show();
  };
  form.addEventListener("input", write);
  form.addEventListener("submit", event => { event.preventDefault(); write(); });
  form.addEventListener("reset", () => setTimeout(write));
  addEventListener("hashchange", read);
  show();
  read();
})();
