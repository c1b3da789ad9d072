/* The site's search leads to the section that has the words, and shows it; Sphinx finds pages only.
   A result is loaded when it comes into view. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const list = document.getElementById("search-results");
  const asked = (new URLSearchParams(location.search).get("q") ?? "").trim().toLowerCase();
  const chinese = /[\u3400-\u9fff]/.test(asked);
  const words = (chinese ? splitQuery(asked) : asked.match(/[\p{L}\p{N}_]+/gu)) ?? [];
  if (!list || !words.length) return;
  const parts = "section[id], .everyday[id]";

  const load = async (url) => {
    const answer = await fetch(url);
    const text = answer.ok ? await answer.text() : "";
    return new DOMParser().parseFromString(text, "text/html").querySelector("article");
  };

  /* What a section says itself, without the sections in it; and its title. */
  const own = (part) => {
    const copy = part.cloneNode(true);
    const heading = copy.querySelector(":scope > :is(h1, h2, h3, h4)");
    const title = heading?.textContent.toLowerCase() ?? "";
    heading?.remove();
    copy.querySelectorAll(`${parts}, script, style, noscript, .headerlink`).forEach((one) => one.remove());
    copy.querySelectorAll("p, li, dt, dd, td, th, pre, summary, div").forEach((one) => one.append(" "));
    return { title, text: copy.textContent.replace(/\s+/g, " ").trim() };
  };

  /* The first section that has the phrase, or else the most of its words. */
  const best = (page) => {
    let found = { rank: 0 };
    for (const part of page?.querySelectorAll(parts) ?? []) {
      const { title, text } = own(part);
      const all = `${title} ${text.toLowerCase()}`;
      const hits = words.filter((word) => all.includes(word));
      const rank = hits.length + (all.includes(asked) ? words.length : 0);
      if (rank > found.rank) found = { part, text, rank };
    }
    return found;
  };

  const excerpt = (text) => {
    const lower = text.toLowerCase();
    const places = [asked, ...words].map((word) => lower.indexOf(word));
    const at = places.find((place) => place >= 0) ?? 0;
    const start = text.indexOf(" ", Math.max(at - 100, 0)) + 1;
    const from = at < 100 || start > at ? Math.max(at - 100, 0) : start;
    const end = text.lastIndexOf(" ", from + 240);
    const to = text.length <= from + 240 ? text.length : end > at ? end : from + 240;
    return (from ? "… " : "") + text.slice(from, to) + (to < text.length ? " …" : "");
  };

  const lead = async (item) => {
    const link = item.querySelector("a[href]");
    const url = new URL(link.href);
    const page = await load(url.origin + url.pathname);
    const asIs = url.hash && page?.querySelector(`[id="${CSS.escape(url.hash.slice(1))}"]`);
    const found = asIs ? { part: asIs, text: own(asIs).text } : best(page);
    link.dataset.led = "yes";
    if (!found.part) return;
    /* The part before the first heading is the page's top. */
    if (found.part.parentElement !== page) url.hash = found.part.id;
    link.href = url.href;
    item.querySelector("p.context").textContent = excerpt(found.text);
    for (const word of words) _highlightText(item, word, "highlighted");
  };

  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      lead(target);
    }
  });
  new MutationObserver(() => {
    for (const item of list.querySelectorAll("li:not([data-seen])")) {
      item.dataset.seen = "yes";
      if (!item.querySelector("p.context")) {
        const place = document.createElement("p");
        place.className = "context";
        item.append(place);
      }
      seen.observe(item);
    }
  }).observe(list, { childList: true, subtree: true });
});
