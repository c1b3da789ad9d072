// Takes the pages in the order of the table of contents. An id stands once in a book of many pages,
// so each is given its page's name; links to pages of the book then lead inside, all others to the
// public address. Replies to questions and solutions stand at the end of their page.
async ([site, addresses, flowing, replies, solutions]) => {
  const pages = new Map();
  for (const url of addresses) {
    const text = await (await fetch(url)).text();
    const page = new DOMParser().parseFromString(text, "text/html");
    pages.set(url, page);
  }
  const name = url => url.slice(site.length).replace(/\W+/g, "-");
  const chapters = [];
  for (const [url, page] of pages) {
    const article = page.querySelector("article.bd-article");
    article.id = "";
    for (const node of article.querySelectorAll("*")) {
      if (node.id) node.id = `${name(url)}-${node.id}`;
      if (node.closest("svg") && node.tagName != "a") for (const given of [...node.attributes]) {
        const inside = given.name.endsWith("href") ? /^#/ : /url\(#/g;
        given.value = given.value.replace(inside, found => `${found}${name(url)}-`);
      } else if (node.hasAttribute("href")) {
        const [target, anchor] = new URL(node.getAttribute("href"), url).href.split("#");
        const here = "#" + name(target) + (anchor ? "-" + decodeURIComponent(anchor) : "");
        const away = target + (anchor ? "#" + anchor : "");
        node.setAttribute("href", pages.has(target) ? here : away);
      } else if (node.hasAttribute("src")) {
        node.src = new URL(node.getAttribute("src"), url).href;
      }
    }
    article.id = name(url);
    article.classList.toggle("flows", flowing.includes(url));
    const asked = [...article.querySelectorAll("form.predict")].filter(form => form.querySelector("details"));
    if (asked.length) {
      article.append(Object.assign(document.createElement("h2"), {textContent: replies}));
      asked.forEach((form, place) => {
        const number = `${place + 1}. `;
        const question = form.querySelector("legend");
        const again = Object.assign(document.createElement("p"), {innerHTML: question.innerHTML});
        again.querySelector("b").textContent = number;
        question.querySelector("b").textContent += ` ${number}`;
        const said = document.createElement("div");
        said.append(again, ...form.querySelectorAll(".predict-reply"));
        form.querySelector("details").remove();
        article.append(said);
      });
    }
    const solved = [...article.querySelectorAll(".solution")];
    if (solved.length) {
      const heading = Object.assign(document.createElement("h2"), {textContent: solutions});
      article.append(heading, ...solved);
    }
    chapters.push(article);
  }
  document.querySelector("article.bd-article").replaceWith(...chapters);
  return [...document.querySelectorAll("article :is(h1, h2, h3, h4)")].map(heading => {
    heading.querySelector("a.headerlink")?.remove();
    return heading.textContent.replace(/\s+/g, " ").trim();
  });
}
