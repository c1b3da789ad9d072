/* Answers predictions: the reply stands beside the chosen answer, and nothing is stored or sent.
   What comes of the program, the paragraphs that tell it, and a figure that shows it, stay hidden
   until somebody has answered, or asks for it. */
"use strict";

/* Collects what stands below a program: to the mark of `reveal` in the same section, where there is
   one before the next question; else to the next program or the end of the section. */
function hideBelow(cell, found) {
  const next = node => node.nextElementSibling;
  const isQuestion = node => node.matches("section, .prediction") || node.querySelector("form.predict");
  let end = next(cell);
  while (end && !end.matches(".predict-end") && !isQuestion(end)) end = next(end);
  if (!end?.matches(".predict-end")) {
    const shown = ".cell:not(.tag_hide-input, .tag_hide-cell, .tag_silent-failure, .tag_replies)";
    const stop = node => node.matches(`section, .prediction, ${shown}, .cell-marks:has(+ ${shown})`);
    for (end = next(cell); end && !stop(end);) end = next(end);
  }
  for (let node = next(cell); node && node !== end; node = next(node)) found.push(node);
}

function makePredict(form) {
  const say = text => globalThis.traceEvidence.say(text);
  const replies = [...form.querySelectorAll(".predict-reply")];
  const places = [...form.querySelectorAll(".predict-answer")].map(answer => {
    const place = document.createElement("div");
    place.setAttribute("aria-live", "polite");
    answer.append(place);
    return place;
  });
  const outcome = [];
  if (form.parentElement.matches(".cell > *")) {
    for (let node = form.parentElement; (node = node.nextElementSibling);) outcome.push(node);
    hideBelow(form.closest(".cell"), outcome);
  }
  const hide = hidden => outcome.forEach(node => node.classList.toggle("predict-hidden", hidden));

  const button = (text, properties) => {
    const made = Object.assign(document.createElement("button"), {textContent: text, ...properties});
    bar.append(made);
    return made;
  };
  const bar = Object.assign(document.createElement("div"), {className: "predict-bar"});
  button(say("Answer"), {type: "submit"});
  const skip = outcome.length && button(say("Show what happens"), {type: "button"});
  const open = () => { hide(false); if (skip) skip.hidden = true; };
  if (skip) skip.addEventListener("click", open);

  const answer = () => {
    const chosen = form.querySelector("input:checked");
    const number = chosen ? "ABCD".indexOf(chosen.value) : -1;
    places.forEach((place, other) => place.replaceChildren(...(other === number ? [replies[number].cloneNode(true)] : [])));
    if (chosen) open();
  };
  /* Arrow keys move the choice, so by keyboard the reply waits for Enter or the button. */
  let pointed = false;
  form.addEventListener("pointerdown", () => { pointed = true; });
  form.addEventListener("keydown", () => { pointed = false; });
  form.addEventListener("change", () => {
    if (pointed) answer();
    else places.forEach(place => place.replaceChildren());  // the reply to what was chosen before
  });
  form.addEventListener("submit", event => { event.preventDefault(); answer(); });

  form.querySelector("details").classList.add("predict-fold");
  form.querySelector("fieldset").append(bar);
  form.classList.add("predict-on");
  form.reset();
  hide(true);
}

document.querySelectorAll("form.predict").forEach(makePredict);
