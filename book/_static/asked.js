/* What is asked on a page stands in its address, as #/?see=stale, so that an answer can be sent and
   Back brings it back. What follows the hash is sent to no server. */
"use strict";

(() => {
  const { say } = globalThis.traceEvidence;

  function asked() {
    return new URLSearchParams(location.hash.startsWith("#/?") ? location.hash.slice(3) : "");
  }

  /* Writes some of it, in this order, behind the rest; an empty value is taken out. */
  function ask(values) {
    const known = asked();
    for (const [key, value] of Object.entries(values)) {
      known.delete(key);
      if (value) known.append(key, value);
    }
    const anchor = location.hash.startsWith("#/?") ? "" : location.hash;
    const hash = known.size ? `#/?${known}` : anchor;
    history.replaceState(history.state, "", location.pathname + location.search + hash);
  }

  /* An address as the public site has it, wherever this page was opened from. */
  function published(href) {
    const page = document.querySelector("link[rel=canonical]")?.href ?? location.href;
    return new URL(href, page).href;
  }

  /* A button that copies an answer for an issue or a forum: title and link, then some lines. */
  function copier(title, href, lines) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy-answer";
    button.ariaLive = "polite";
    button.textContent = say("Copy as Markdown");
    button.addEventListener("click", async () => {
      const rows = [`**[${title}](${published(href)})**`, ...lines.filter(Boolean)];
      if (location.hash.startsWith("#/?")) {
        rows.push(say("Found by [this search]({link}).", { link: published(location.hash) }));
      }
      const text = `${rows.join("\n\n")}\n`;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = say("Copied");
        setTimeout(() => { button.textContent = say("Copy as Markdown"); }, 2000);
      } catch {  /* the browser forbids it: the reader copies */
        const box = document.createElement("textarea");
        box.readOnly = true;
        box.rows = 6;
        box.value = text;
        box.setAttribute("aria-label", say("Copy as Markdown"));
        button.replaceWith(box);
        box.select();
      }
    });
    return button;
  }

  globalThis.traceEvidence = { ...globalThis.traceEvidence, asked, ask, published, copier };
})();
