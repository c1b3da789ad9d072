/* The filter of the table of distributions and constructs, and what it comes to in a sentence.
   What is asked stands in the address. Without scripts the whole table stands. */
(() => {
  "use strict";
  const form = document.getElementById("cell-filter");
  const table = document.querySelector("table.cells");
  const verdict = document.getElementById("cell-verdict");
  if (!form || !table || !verdict) return;
  const MOST = 25;
  const bare = text => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const fits = (cell, asked) => bare(cell.textContent).includes(asked)
    || cell.dataset.also.split(",").some(name => bare(name) === asked);
  const heads = [...table.tHead.rows[0].cells];
  const show = () => {
    const asked = Object.fromEntries(new FormData(form));
    const [row, column] = [bare(asked.row), bare(asked.column)];
    const columns = heads.map((head, place) => place < 2 || fits(head, column));
    const rows = [...table.tBodies[0].rows].filter(line => {
      line.hidden = !fits(line.cells[0], row);
      return !line.hidden;
    });
    for (const line of table.rows) {
      [...line.cells].forEach((cell, place) => { cell.hidden = !columns[place]; });
    }
    const bad = rows.filter(line => [...line.cells].some((cell, place) => place > 1
      && columns[place] && cell.querySelector(".verdict-wrong, .verdict-fails")));
    const names = bad.map(line => line.cells[0].textContent);
    const {all, bad: notRight, none} = verdict.dataset;
    const found = rows.length && columns.filter(Boolean).length > 2;
    const said = found
      ? [all.replace("{right}", rows.length - bad.length).replace("{all}", rows.length)] : [none];
    if (found && names.length) {
      const more = names.length > MOST ? " …" : "";
      said.push(notRight.replace("{names}", names.slice(0, MOST).join(", ") + more));
    }
    verdict.textContent = said.join("; ");
    const kept = new URLSearchParams(Object.entries(asked).filter(([, text]) => text));
    history.replaceState(null, "", `${location.pathname}${kept.size ? `?${kept}` : ""}${location.hash}`);
  };
  for (const [name, text] of new URLSearchParams(location.search)) {
    if (form.elements[name]) form.elements[name].value = text;
  }
  form.addEventListener("input", show);
  form.addEventListener("submit", event => event.preventDefault());
  if (location.search) show();
})();
