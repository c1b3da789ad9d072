/* What the scripts say, in the page's language: an edition hands its words over in a script that is
   loaded before; English needs none. */
"use strict";

globalThis.traceEvidence = {
  ...globalThis.traceEvidence,
  say(text, values = {}) {
    const found = globalThis.traceEvidence.words?.[text] ?? text;
    return found.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  },
};
