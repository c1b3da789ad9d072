/* The site's search leads to the section that has the words, and not to the page's top.
   Sphinx finds pages; the page, which it loads anyway for the summary, knows its sections. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const list = document.getElementById("search-results");
  const asked = new URLSearchParams(location.search).get("q") ?? "";
  const words = asked.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  if (!list || !words.length) return;
  const loaded = new Map();
  const load = (url) => {
    if (!loaded.has(url)) {
      const page = fetch(url).then((answer) => (answer.ok ? answer.text() : ""));
      loaded.set(url, page.then((text) => new DOMParser().parseFromString(text, "text/html")));
    }
    return loaded.get(url);
  };
  /* The innermost section, or entry, that has the phrase, or else the most of its words. */
  const best = (page) => {
    let found = { id: "", rank: 0 };
    for (const part of page.querySelectorAll("article section[id], article .everyday[id]")) {
      const text = part.textContent.toLowerCase();
      const hits = words.filter((word) => text.includes(word)).length;
      const rank = hits + (text.includes(asked.toLowerCase()) ? words.length : 0);
      if (rank && rank >= found.rank) found = { id: part.id, rank };
    }
    return found.id;
  };
  const lead = async (item) => {
    const link = item.querySelector("a[href]");
    if (!link || link.dataset.led) return;
    link.dataset.led = "yes";
    const url = new URL(link.href);
    if (url.hash) return;
    const id = best(await load(url.origin + url.pathname));
    if (id) {
      url.hash = id;
      link.href = url.href;
    }
  };
  new MutationObserver(() => list.querySelectorAll("li").forEach(lead)).observe(list, {
    childList: true,
    subtree: true,
  });
});
