/* What triage and search share: code in backticks, and their data, which are loaded from this site
   when somebody turns to one of them. What is written into a box goes nowhere. */
"use strict";

(() => {
  let loading;

  /* A text with what stands between backticks as code, and between asterisks slanted. */
  function rich(text) {
    return text.split(/(`[^`]+`|\*[^*\s][^*]*\*)/).map((part, number) => {
      if (number % 2 === 0) return part;
      const made = document.createElement(part[0] === "`" ? "code" : "em");
      made.textContent = part.slice(1, -1);
      return made;
    });
  }

  /* A link of the data, which begins at the site's root, as one from this page. */
  function address(href) {
    return href.startsWith("https:") ? href : document.documentElement.dataset.content_root + href;
  }

  /* A promise of {triage, documents}; a load that failed is tried again by the next call. */
  function data() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = document.querySelector("[data-doors]").dataset.doors;
      script.onload = () => resolve(globalThis.traceEvidence.known);
      script.onerror = () => {
        loading = undefined;
        reject(new Error(`${script.src} cannot be loaded`));
      };
      document.head.append(script);
    });
    return loading;
  }

  globalThis.traceEvidence = { ...globalThis.traceEvidence, rich, address, data };
})();
