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
  const fits = (cell, words, asked) => bare(words).includes(asked)
    || cell.dataset.also.split(",").some(name => bare(name) === asked);
  const [above, below] = table.tHead.rows;
  const groups = [...above.cells].slice(2).map(cell => ({cell, span: cell.colSpan}));
  const groupOf = groups.flatMap(({cell, span}) => Array(span).fill(cell));
  const heads = [...below.cells].map((cell, place) => {
    const words = `${groupOf[place].textContent}: ${cell.textContent}`;
    return {cell, words, all: `${words} ${cell.dataset.name}`};
  });
  const said = verdict.dataset;
  /* The verdict of a row, as far as its columns are shown. */
  const judge = (line, columns) => {
    const red = {wrong: [], fails: []};
    heads.forEach(({words}, place) => {
      const mark = line.cells[place + 2].querySelector(".verdict");
      if (!columns[place] || !mark) return;
      const named = Object.assign(document.createElement(mark.localName), {textContent: words});
      if (mark.href) named.href = mark.href;
      red[mark.classList[1].slice("verdict-".length)].push(named);
    });
    const kinds = Object.keys(red).filter(kind => red[kind].length);
    const names = document.createElement("span");
    names.className = "red-names";
    names.append(...red.wrong, ...red.fails);
    const told = kinds.map(kind => `${said[kind]}: ${red[kind].length}`).join(said.comma);
    line.cells[1].replaceChildren(told || said.right, names);
    return kinds.length > 0;
  };
  const show = () => {
    const asked = Object.fromEntries(new FormData(form));
    const [row, column] = [bare(asked.row), bare(asked.column)];
    const columns = heads.map(({cell, all}) => fits(cell, all, column));
    heads.forEach(({cell}, place) => { cell.hidden = !columns[place]; });
    for (const {cell} of groups) {
      const left = columns.filter((shown, place) => shown && groupOf[place] === cell).length;
      cell.hidden = !left;
      cell.colSpan = left || 1;
    }
    const rows = [...table.tBodies[0].rows].filter(line => {
      line.hidden = !fits(line.cells[0], line.cells[0].textContent, row);
      columns.forEach((shown, place) => { line.cells[place + 2].hidden = !shown; });
      return !line.hidden;
    });
    const bad = rows.filter(line => judge(line, columns));
    if (asked.red) rows.forEach(line => { line.hidden = !bad.includes(line); });
    const names = bad.map(line => line.cells[0].textContent);
    const found = rows.length && columns.some(Boolean);
    const parts = found
      ? [said.all.replace("{right}", rows.length - bad.length).replace("{all}", rows.length)]
      : [said.none];
    if (found && names.length) {
      const more = names.length > MOST ? " …" : "";
      parts.push(said.bad.replace("{names}", names.slice(0, MOST).join(said.comma) + more));
    }
    verdict.textContent = parts.join("; ");
    const kept = new URLSearchParams(Object.entries(asked).filter(([, text]) => text));
    history.replaceState(null, "", `${location.pathname}${kept.size ? `?${kept}` : ""}${location.hash}`);
  };
  for (const [name, text] of new URLSearchParams(location.search)) {
    const field = form.elements[name];
    if (field?.type === "checkbox") field.checked = text === "on";
    else if (field) field.value = text;
  }
  form.addEventListener("input", show);
  form.addEventListener("submit", event => event.preventDefault());
  if (location.search) show();
})();
