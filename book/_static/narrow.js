/* The narrowing: what one sees and where it shows, to at most six failures. It ranks as
   `trace_evidence/narrowing.py` does. */
"use strict";

(() => {
  const form = document.getElementById("narrow");
  if (!form) return;
  const MOST = 6;
  const rows = JSON.parse(document.getElementById("narrow-data").textContent);
  const {say, ask, copier} = globalThis.traceEvidence;
  const by = id => document.getElementById(id);
  let asked;

  const share = (row, key, worth) => {
    const place = row[key].indexOf(asked.get(key));
    return place < 0 ? 0 : worth * (place ? 0.7 : 1);
  };
  const points = row => share(row, "see", 3) + share(row, "where", 2);
  const has = (row, key) => !asked.get(key) || row[key].includes(asked.get(key));

  /* All are made of the book's own texts, which the build has escaped. */
  const made = html => document.createRange().createContextualFragment(html);

  const show = () => {
    asked = globalThis.traceEvidence.asked();
    const seen = Object.values(rows).filter(row => has(row, "see"));
    for (const button of form.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", asked.get(button.name) === button.value);
      if (button.name !== "where") continue;
      const count = seen.filter(row => row.where.includes(button.value)).length;
      button.hidden = !count;
      button.querySelector("small").textContent = count;
    }
    const chosen = asked.has("see");
    by("narrow-places").hidden = !chosen;
    by("narrow-none").hidden = !chosen;
    const found = chosen ? seen.sort((one, other) => points(other) - points(one)) : [];
    by("narrow-found").replaceChildren(...found.slice(0, MOST).map(row => {
      const item = document.createElement("li");
      const link = `<a href="${form.dataset.root}${row.href}">${row.title}</a>`;
      const shown = row.shows && `<code>${row.shows}</code>`;
      const told = [row.symptom, row.question].map(text => text && `<p>${text}</p>`);
      item.append(made(link + told[0] + shown + told[1]));
      const title = item.firstChild;
      item.append(copier(title.textContent, title.getAttribute("href"), [row.cure, row.occurs]));
      return item;
    }));
    by("narrow-status").textContent = chosen
      ? say("{shown} of {count} that it may be:",
        {shown: Math.min(MOST, found.length), count: found.length}) : "";
  };

  form.addEventListener("click", event => {
    const button = event.target.closest("button[name]");
    if (!button) return;
    const chosen = asked.get(button.name) === button.value ? "" : button.value;
    ask(button.name === "see" ? {see: chosen, where: ""} : {where: chosen});
    show();
  });
  form.addEventListener("submit", event => event.preventDefault());
  addEventListener("hashchange", show);
  show();
})();
