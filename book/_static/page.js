/* What the book adds to the theme's script on every page. Without scripts nothing is missed that is
   to be read. */
(() => {
  "use strict";
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  /* "Contents" marks the section that one reads: the last whose heading is above the middle of the
     upper half of the window. The theme marks one only when its heading passes the top. */
  const contents = () => {
    const links = all("#pst-page-toc-nav a[href^='#']");
    const places = links.map(link => document.getElementById(decodeURIComponent(link.hash.slice(1))));
    if (!links.length || places.includes(null)) return;
    const mark = () => {
      const line = innerHeight / 4;
      const above = places.findLastIndex(place => place.getBoundingClientRect().top <= line);
      const end = innerHeight + scrollY >= document.documentElement.scrollHeight - 2 && scrollY > 0;
      const asked = links.findIndex(link => link.hash === location.hash);
      const visible = place => place.getBoundingClientRect().top < innerHeight;
      /* At the end of the page the last heading may never get so high. */
      const now = end && asked > above && visible(places[asked]) ? asked : above;
      links.forEach((link, number) => {
        link.classList.toggle("active", number === now);
        if (number !== now) link.removeAttribute("aria-current");
        else if (!link.ariaCurrent) link.setAttribute("aria-current", "true");
      });
      /* The entries that hold it are active too: the theme shows what is below them. */
      for (const entry of all("#pst-page-toc-nav .toc-entry")) {
        entry.classList.toggle("active", now >= 0 && entry.contains(links[now]));
      }
    };
    /* The theme's own observer writes the mark as well; ours is the last word. */
    let waiting = false;
    const later = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; mark(); });
    };
    addEventListener("scroll", later, {passive: true});
    addEventListener("resize", later);
    addEventListener("hashchange", () => setTimeout(mark));
    new MutationObserver(later).observe(document.getElementById("pst-page-toc-nav"), {
      subtree: true, attributeFilter: ["aria-current"],
    });
    mark();
  };

  /* The sidebar shows the page that is read, wherever the last page left it. It is not scrolled by
     `scrollIntoView`, after which the Tab key would begin in the sidebar. */
  const sidebar = () => {
    const entry = all(".bd-docs-nav .current.active > a").at(-1);
    const box = entry?.closest(".bd-sidebar-primary");
    if (!box) return;
    const [here, seen] = [entry, box].map(part => part.getBoundingClientRect());
    box.scrollTop += Math.max(0, here.bottom - seen.bottom) + Math.min(0, here.top - seen.top);
  };

  /* A block or a table that scrolls fades out where it goes on. */
  const scrolling = "article :is(pre, .pst-scrollable-table-container, .matrix-scroll)";
  const fade = () => all(scrolling).forEach(block => {
    const show = () => {
      const left = block.scrollWidth - block.clientWidth - block.scrollLeft;
      block.classList.toggle("more-right", left > 2);
    };
    block.addEventListener("scroll", show, {passive: true});
    new ResizeObserver(show).observe(block);
  });

  /* The copy buttons are one stop of the Tab key, and not one at each block: the arrow keys lead
     from one to the next. */
  const copying = () => {
    const buttons = all("button.copybtn");
    if (!buttons.length) return;
    const take = chosen => buttons.forEach(button => { button.tabIndex = button === chosen ? 0 : -1; });
    for (const button of buttons) {
      button.setAttribute("aria-label", globalThis.traceEvidence.say("Copy the code; the arrow keys lead to other blocks"));
      button.addEventListener("focus", () => take(button));
      button.addEventListener("keydown", event => {
        const step = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}[event.key];
        if (!step) return;
        const shown = buttons.filter(other => other.checkVisibility());
        shown[shown.indexOf(button) + step]?.focus();
        event.preventDefault();
      });
    }
    take(buttons.find(button => button.checkVisibility()));
  };

  /* The same page in another language opens at the same section. */
  const editions = () => all("nav.editions a").forEach(link => {
    link.addEventListener("click", () => { link.hash = location.hash; });
  });

  document.addEventListener("DOMContentLoaded", () => {
    contents();
    editions();
    fade();
    copying();
    /* After the theme, which puts the sidebar back to where it was. */
    setTimeout(sidebar);
  });
})();
