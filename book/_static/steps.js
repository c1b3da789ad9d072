/* Shows the frames of a step-through figure one at a time; see trace_evidence/steps.py. */
"use strict";

function makeSteps(figure, number) {
  const {say} = globalThis.traceEvidence;
  const frames = [...figure.querySelectorAll(".steps-frame")];
  const choices = Object.entries(JSON.parse(figure.dataset.choices));
  const at = frame => frame.dataset.at;
  const chosen = JSON.parse(at(frames[0]));
  let group = [], place = 0;

  function add(parent, tag, properties = {}) {
    const node = Object.assign(document.createElement(tag), properties);
    parent.append(node);
    return node;
  }

  function show(next) {
    place = Math.max(0, Math.min(next, group.length - 1));
    frames.forEach(frame => frame.classList.toggle("steps-now", frame === group[place]));
    previous.setAttribute("aria-disabled", place === 0);
    following.setAttribute("aria-disabled", place === group.length - 1);
    scrubber.max = group.length - 1;
    scrubber.value = place;
    const words = {step: place + 1, steps: group.length};
    scrubber.setAttribute("aria-valuetext", say("{step} of {steps}", words));
  }

  function choose() {
    const wanted = JSON.stringify(chosen);
    group = frames.filter(frame => JSON.stringify(JSON.parse(at(frame))) === wanted);
    turn.hidden = group.length < 2;
    show(place);
  }

  const bar = document.createElement("div");
  bar.className = "steps-bar";
  choices.forEach(([name, values], axis) => {
    if (typeof values[0] === "number") {
      const label = add(bar, "label", {className: "steps-slider"});
      add(label, "span", {textContent: name});
      const slider = add(label, "input", {type: "range", min: 0, max: values.length - 1, step: 1});
      slider.value = values.indexOf(chosen[axis]);
      slider.setAttribute("aria-valuetext", `${chosen[axis]} ${name}`);
      const shown = add(label, "output", {textContent: chosen[axis]});
      slider.addEventListener("input", () => {
        shown.textContent = chosen[axis] = values[slider.value];
        slider.setAttribute("aria-valuetext", `${chosen[axis]} ${name}`);
        choose();
      });
      return;
    }
    const set = add(bar, "fieldset");
    add(set, "legend", {textContent: name});
    values.forEach(value => {
      const label = add(set, "label");
      const radio = add(label, "input", {type: "radio", name: `steps-${number}-${axis}`});
      radio.checked = value === chosen[axis];
      label.append(value);
      radio.addEventListener("change", () => { chosen[axis] = value; choose(); });
    });
  });
  const turn = add(bar, "div", {className: "steps-turn"});
  const previous = add(turn, "button", {type: "button", textContent: say("‹ Previous")});
  const scrubber = add(turn, "input", {type: "range", min: 0, ariaLabel: say("Step")});
  const following = add(turn, "button", {type: "button", textContent: say("Next ›")});
  previous.addEventListener("click", () => show(place - 1));
  scrubber.addEventListener("input", () => show(+scrubber.value));
  following.addEventListener("click", () => show(place + 1));

  // Arrow keys turn the frames wherever the focus is in the figure, but on a slider or a choice.
  const keys = {ArrowLeft: () => place - 1, ArrowRight: () => place + 1, Home: () => 0,
                End: () => group.length - 1};
  figure.addEventListener("keydown", event => {
    if (!(event.key in keys) || event.target.matches("input") || group.length < 2) return;
    show(keys[event.key]());
    event.preventDefault();
  });

  const box = figure.querySelector(".steps-frames");
  box.tabIndex = -1;  // a click on the drawing brings the focus, and with it the arrow keys
  box.setAttribute("aria-live", "polite");  // the sentence, without the long text of the drawing
  box.querySelectorAll(".steps-panels").forEach(drawn => drawn.setAttribute("aria-live", "off"));
  figure.classList.add("steps-on");
  choose();
  if (choices.length || group.length > 1) box.before(bar);
}

document.querySelectorAll("figure.steps").forEach(makeSteps);
