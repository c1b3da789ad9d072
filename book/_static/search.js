/* A search by words, which ranks and claims nothing: MiniSearch, over the titles, symptoms and
   keywords of the entries, and over the titles and sections of the pages. */
"use strict";

(() => {
  const { rich, address, say } = globalThis.traceEvidence;
  const MOST = 6;
  const ENDINGS = [
    [/^(.{2,})ies$/, "$1y"], [/^(.{3,}[^suia])s$/, "$1"], [/^(.{3,})(?:ing|ed|ly)$/, "$1"],
    [/^(.*)([bdgmnprt])\2$/, "$1$2"], [/^(.{4,})ation$/, "$1"], [/^(.{3,})e$/, "$1"],
  ];
  const HAN = /[\u3400-\u9fff]/;
  const STOP = new Set(("a an and are as at be but by can do does for from has have how i if in into is "
    + "it its me my no not of on or so that the their then there this to was what when where which "
    + "why will with you your 的 了 是 在 和 我 吗 怎么 为什么").split(" "));
  /* Words for one thing. */
  const SAME = new Map([["crash", "fail"], ["crashes", "fail"], ["崩溃", "失败"], ["报错", "失败"], ["中止", "失败"]]);
  /* What explains comes before what only names. */
  const BOOST = [["/failures/", 1.6], ["/foundations/", 1.5], ["/cases/", 1.3]];
  let index;

  const stem = (word) => ENDINGS.reduce((text, [ending, kept]) => text.replace(ending, kept), word);

  /* Words as they stand, the parts of names such as lax.scan and TruncatedNormal, Chinese words. */
  function tokens(text) {
    const names = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
    const plain = [...text.split(/[^\p{L}\p{N}_]+/u), ...names.split(/[^\p{L}\p{N}]+/u)];
    const words = plain.filter((word) => word && !HAN.test(word));
    for (const part of text.match(/[\u3400-\u9fff]+/g) ?? []) {
      const segments = globalThis.Intl?.Segmenter
        ? [...new Intl.Segmenter("zh", { granularity: "word" }).segment(part)].map((one) => one.segment)
        : [];
      const pairs = [...part].slice(1).map((sign, place) => part[place] + sign);
      words.push(...segments, ...pairs);
    }
    return [...new Set(words)];
  }

  const options = {
    fields: ["title", "errors", "keywords", "text"],
    storeFields: ["title", "href", "text"],
    tokenize: tokens,
    processTerm(word) {
      const plain = word.toLowerCase();
      return STOP.has(plain) ? null : (SAME.get(plain) ?? stem(plain));
    },
    searchOptions: {
      boost: { title: 4, errors: 3, keywords: 2 },
      bm25: { k: 1.2, b: 0.4, d: 0.5 },
      boostDocument: (id, term, { href }) => BOOST.find(([part]) => href.includes(part))?.[1] ?? 1,
      prefix: (word) => word.length > 2 || HAN.test(word),
      fuzzy: (word) => (word.length > 4 && !HAN.test(word) ? 0.2 : 0),
    },
  };

  /* The documents that have some of the words, the best first. */
  function search(words, documents) {
    if (!index) {
      index = new MiniSearch(options);
      index.addAll(documents.map((one, id) => ({ id, ...one })));
    }
    return index.search(words);
  }

  function show(words, documents, list, status) {
    const found = search(words, documents).slice(0, MOST);
    list.replaceChildren(...found.map(({ title, href, text }) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = address(href);
      link.append(...rich(title));
      item.append(link, ...(text ? [say(": "), ...rich(text)] : []));
      return item;
    }));
    const error = /(Error|Exception|Warning): |Traceback/.test(words);
    status.textContent = found.length
      ? say(error ? "No error that is known here. These have some of the words:" : "These pages come closest:")
      : say("Not known here. Paste the whole traceback, with its last lines.");
    return found.length > 0;
  }

  globalThis.traceEvidence = { ...globalThis.traceEvidence, search, showHits: show };
})();
