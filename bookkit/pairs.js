function splitQuery(query) {
  const found = [];
  const index = typeof Search === "object" && Search._index;
  // A pair that stands nowhere would lower the share of every page.
  const known = (pair) => !index || pair in index.terms || pair in index.titleterms;
  for (const word of query.match(/[\u3400-\u9fff]+|[\p{L}\p{N}_]+/gu) ?? []) {
    for (const part of word.match(/[\u3400-\u9fff]+|[^\u3400-\u9fff]+/gu)) {
      if (!/[\u3400-\u9fff]/.test(part) || part.length < 3) found.push(part);
      else {
        const pairs = [...part].slice(1).map((_, i) => part.slice(i, i + 2));
        found.push(...(pairs.some(known) ? pairs.filter(known) : pairs));
      }
    }
  }
  return found;
}

// Pages with all pairs of the query come first, as Sphinx scores them, then those with most.
if (typeof Search === "object") {
  const withWord = Search.performTermsSearch;
  Search.performTermsSearch = (words, excluded) => {
    const pages = new Map();
    for (const word of words) {
      for (const row of withWord(new Set([word]), excluded)) {
        const page = pages.get(row[0]) ?? { row, hits: 0, score: 0 };
        pages.set(row[0], page);
        page.hits += 1;
        page.score += row[4] / words.size;
      }
    }
    const found = [];
    for (const { row, hits, score } of pages.values()) {
      const share = hits / words.size;
      row[4] = share === 1 ? score : 4 * share + score / 100; // a word in a text scores 5
      if (share >= 0.6) found.push(row);
    }
    return found;
  };
}
