/* The filter of the table of distributions and constructs. Without scripts the whole table stands. */
(() => {
  "use strict";
  const form = document.getElementById("cell-filter");
  const table = document.querySelector("table.cells");
  if (!form || !table) return;
  const heads = [...table.tHead.rows[0].cells].map(cell => cell.textContent);
  const show = () => {
    const asked = Object.fromEntries(new FormData(form));
    const [row, column] = [asked.row.trim().toLowerCase(), asked.column.trim().toLowerCase()];
    const shown = heads.map((name, place) => place < 2 || name.includes(column));
    for (const line of table.rows) {
      line.hidden = line.parentNode !== table.tHead
        && !line.cells[0].textContent.toLowerCase().includes(row);
      [...line.cells].forEach((cell, place) => { cell.hidden = !shown[place]; });
    }
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", event => event.preventDefault());
})();
