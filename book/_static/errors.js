/* The filter of the error index, and an answer's entry that shows itself when it is asked for. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("index-filter");
  if (!form) return;
  const words = document.getElementById("index-words");
  const entries = [...document.querySelectorAll(".everyday")].map((part) => ({
    part,
    text: part.textContent.toLowerCase(),
  }));
  const rows = [...document.querySelectorAll("table.message-index tbody tr")].map((part) => ({
    part,
    text: part.textContent.toLowerCase(),
  }));
  const show = () => {
    const asked = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { part, text } of [...entries, ...rows]) {
      const fits = asked.every((word) => text.includes(word));
      part.hidden = !fits;
      count += fits;
    }
    for (const list of new Set(entries.map(({ part }) => part.parentElement))) {
      list.hidden = list.previousElementSibling.hidden = !list.querySelector("li.everyday:not([hidden])");
    }
    const all = entries.length + rows.length;
    document.getElementById("index-count").textContent = asked.length
      ? globalThis.traceEvidence.say("{count} of {all} entries", { count, all })
      : "";
  };
  const leadTo = () => {
    const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (found?.closest("[hidden]")) {
      words.value = "";
      show();
      found.scrollIntoView();
    }
  };
  /* What is asked stands in the address, as #/?words=scan, beside what the box above asks. */
  const { asked: inAddress, ask } = globalThis.traceEvidence;
  words.value = inAddress().get("words") ?? words.value;
  words.addEventListener("input", () => { show(); ask({ words: words.value }); });
  addEventListener("pageshow", show);  // Back brings the words back
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", leadTo);
});
