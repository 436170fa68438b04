// Reading off and looking closer. The page is complete without it.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const WIDTH = 4000, HEIGHT = 1000, POINTS = 1200;
const timed = data.times || data.rate > 0;
const plots = [];
let from = 0, to = Math.max(data.frames - 1, 1);   // frames that are shown

document.documentElement.classList.add("scripted");

// -- frames and times --

function timeOf(frame) {
  if (!data.times) return data.rate > 0 ? frame / data.rate : frame;
  const at = frame / data.timeStep, below = Math.min(Math.floor(at), data.times.length - 1);
  const above = Math.min(below + 1, data.times.length - 1);
  return data.times[below] + (data.times[above] - data.times[below]) * (at - below);
}

function frameOf(time) {
  if (!data.times) return data.rate > 0 ? time * data.rate : time;
  let low = 0, high = to + 1;
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (timeOf(middle) < time) low = middle; else high = middle;
  }
  return low;
}

function timeText(seconds, decimals) {
  const unit = 10 ** decimals, all = Math.round(seconds * unit);
  const rest = (all % (60 * unit)) / unit, minutes = Math.floor(all / unit / 60) % 60;
  const hours = Math.floor(all / unit / 3600);
  const text = rest.toFixed(decimals).padStart(decimals ? 3 + decimals : 2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${text}` : `${minutes}:${text}`;
}

// -- curves --

const frameAt = (curve, i) => curve.at ? curve.at[i] : curve.first + i * curve.step;

// The first point that is not before the frame.
function pointFrom(curve, frame) {
  let low = 0, high = curve.mean.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (frameAt(curve, middle) < frame) low = middle + 1; else high = middle;
  }
  return low;
}

function nearest(curve, frame) {
  const i = Math.min(pointFrom(curve, frame), curve.mean.length - 1);
  return i > 0 && frame - frameAt(curve, i - 1) < frameAt(curve, i) - frame ? i - 1 : i;
}

const xOf = frame => {
  const begin = timeOf(from), end = timeOf(to);
  return (timeOf(frame) - begin) / (end - begin);
};

// Pieces of what is shown: [frame, mean, worst], null where there is nothing.
function pieces(curve) {
  const first = Math.max(pointFrom(curve, from) - 1, 0);
  const end = Math.min(pointFrom(curve, to) + 1, curve.mean.length);
  const size = Math.max(Math.ceil((end - first) / POINTS), 1), out = [];
  const worst = curve.worst || curve.mean, low = curve.isLow;
  for (let i = first; i < end; i += size) {
    let sum = 0, n = 0, extreme = null, at = 0;
    const last = Math.min(i + size, end);
    for (let k = i; k < last; k++) {
      at += frameAt(curve, k);
      if (curve.mean[k] === null) continue;
      sum += curve.mean[k];
      n++;
      if (extreme === null || (low ? worst[k] < extreme : worst[k] > extreme)) extreme = worst[k];
    }
    out.push([at / (last - i), n ? sum / n : null, extreme]);
  }
  return out;
}

function draw(plot) {
  const y = value => Math.round(HEIGHT * (plot.high - value) / (plot.high - plot.low));
  const x = frame => Math.round(WIDTH * xOf(frame));
  for (const {curve, line, band} of plot.curves) {
    let text = "", area = "", pen = false, run = [];
    const close = () => {
      if (band && run.length) area += "M" + run.map(p => `${x(p[0])} ${y(p[1])}`).join("L") + "L" +
        run.reverse().map(p => `${x(p[0])} ${y(p[2])}`).join("L") + "Z";
      run = [];
    };
    for (const point of pieces(curve)) {
      if (point[1] === null) {
        pen = false;
        close();
        continue;
      }
      text += `${pen ? "L" : "M"}${x(point[0])} ${y(point[1])}${pen ? "" : "h0"}`;
      pen = true;
      run.push(point);
    }
    close();
    line.setAttribute("d", text);
    if (band) band.setAttribute("d", area);
  }
}

// -- what is shown --

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200];
const roundStep = least => {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(f => f * power).find(s => s >= least * 0.999999);
};

function numberAxis(plot) {
  const begin = timeOf(from), end = timeOf(to), least = (end - begin) / (plot.large ? 7 : 4);
  let step = timed && least >= 1 ? steps.find(s => s >= least) || 86400 : roundStep(least);
  if (!timed) step = Math.max(step, 1);
  const decimals = Math.max(Math.ceil(-Math.log10(step) - 1e-9), 0);
  plot.xs.textContent = "";
  for (let tick = Math.ceil(begin / step - 1e-9) * step; tick <= end + step * 1e-9; tick += step) {
    const place = (tick - begin) / (end - begin), label = document.createElement("span");
    label.textContent = timed ? timeText(tick, decimals) : String(Math.round(tick));
    label.style.left = `${100 * place}%`;
    if (place < 0.03) label.className = "first";
    if (place > 0.97) label.className = "last";
    plot.xs.append(label);
  }
}

function show(begin, end) {
  const whole = Math.max(data.frames - 1, 1), least = Math.min(whole, 8);
  let width = Math.min(Math.max(end - begin, least), whole);
  begin = Math.min(Math.max(begin, 0), whole - width);
  from = begin;
  to = begin + width;
  const left = (timeOf(from) - timeOf(0)) / (timeOf(whole) - timeOf(0));
  const right = (timeOf(to) - timeOf(0)) / (timeOf(whole) - timeOf(0));
  for (const plot of plots) {
    draw(plot);
    numberAxis(plot);
    for (const element of plot.stretched)
      element.setAttribute("transform", `scale(${1 / (right - left)} 1) translate(${-left * WIDTH} 0)`);
  }
  hide();
}

// -- reading off --

function hide() {
  for (const plot of plots) {
    plot.cursor.hidden = true;
    plot.read.hidden = true;
  }
}

const format = value => value === null ? "none" : String(+value.toPrecision(7));

function describe(plot, frame) {
  const read = plot.read;
  read.textContent = "";
  const head = document.createElement("b");
  const shown = Math.round(frame);
  head.textContent = `frame ${shown}` + (timed ? `, ${timeText(timeOf(shown), 2)}` : "");
  read.append(head);
  for (const {curve} of plot.curves.slice(0, 12)) {
    const i = nearest(curve, frame), line = document.createElement("div");
    const name = document.createElement("span");
    name.textContent = (data.videos.length > 1 ? data.videos[curve.video] : data.groups[curve.group]) + " ";
    line.append(name, format(curve.mean[i]));
    if (curve.worst) line.append(` (${curve.isLow ? "min" : "max"} ${format(curve.worst[i])})`);
    read.append(line);
  }
}

function point(plot, frame) {
  const place = xOf(frame);
  for (const other of plots) {
    other.cursor.hidden = place < 0 || place > 1;
    other.cursor.style.left = `${100 * place}%`;
    other.read.hidden = true;
  }
  describe(plot, frame);
  plot.read.hidden = false;
  plot.read.style.left = place < 0.5 ? `calc(${100 * place}% + 10px)` : "auto";
  plot.read.style.right = place < 0.5 ? "auto" : `calc(${100 * (1 - place)}% + 10px)`;
  plot.at = frame;
}

function listen(plot) {
  const box = plot.box;
  const look = (frame, reach) => {
    show(frame - reach, frame + reach);
    point(plot, frame);
  };
  let start = null;
  const frameHere = event => {
    const area = plot.svg.getBoundingClientRect();
    const place = Math.min(Math.max((event.clientX - area.left) / area.width, 0), 1);
    const begin = timeOf(from), end = timeOf(to);
    return Math.min(Math.max(Math.round(frameOf(begin + place * (end - begin))), 0), data.frames - 1);
  };
  plot.svg.addEventListener("pointerdown", event => {
    if (event.pointerType !== "mouse" || event.button) return;
    start = frameHere(event);
    plot.svg.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  plot.svg.addEventListener("pointermove", event => {
    const frame = frameHere(event);
    point(plot, frame);
    if (start === null) return;
    plot.choice.hidden = false;
    plot.choice.style.left = `${100 * Math.max(xOf(Math.min(start, frame)), 0)}%`;
    plot.choice.style.right = `${100 * (1 - Math.min(xOf(Math.max(start, frame)), 1))}%`;
  });
  plot.svg.addEventListener("pointerup", event => {
    const frame = frameHere(event), begin = start;
    start = null;
    plot.choice.hidden = true;
    if (begin !== null && Math.abs(xOf(frame) - xOf(begin)) > 0.01) show(Math.min(begin, frame), Math.max(begin, frame));
    else point(plot, frame);
  });
  plot.svg.addEventListener("pointercancel", () => { start = null; plot.choice.hidden = true; });
  plot.svg.addEventListener("pointerleave", () => { if (start === null) hide(); });
  plot.svg.addEventListener("dblclick", () => show(0, data.frames - 1));
  box.addEventListener("keydown", event => {
    const width = to - from, at = plot.at === undefined ? Math.round((from + to) / 2) : plot.at;
    const move = {ArrowLeft: -1, ArrowRight: 1, PageUp: -width / 10, PageDown: width / 10}[event.key];
    if (move !== undefined) point(plot, Math.min(Math.max(Math.round(at + move), Math.ceil(from)), Math.floor(to)));
    else if (event.key === "+" || event.key === "=") look(at, width / 4);
    else if (event.key === "-") look(at, width);
    else if (event.key === "Escape") show(0, data.frames - 1);
    else return;
    event.preventDefault();
  });
  box.addEventListener("blur", hide);
}

function add(parent, className) {
  const element = document.createElement("div");
  element.className = className;
  element.hidden = true;
  parent.append(element);
  return element;
}

for (const element of document.querySelectorAll(".curves")) {
  const box = element.closest(".frame"), svg = element.ownerSVGElement;
  const plot = {box, svg, low: +element.dataset.low, high: +element.dataset.high,
    large: box.classList.contains("large"), xs: box.querySelector(".xs"),
    stretched: svg.querySelectorAll(".scenes, .confidence"), curves: []};
  for (const curve of data.curves) {
    if (curve.group !== +element.dataset.group || !curve.mean.length) continue;
    const line = element.querySelector(`.line[data-video="${curve.video}"]`);
    const band = line.previousElementSibling;
    curve.isLow = !curve.highIsBad;
    plot.curves.push({curve, line, band: band && band.classList.contains("band") ? band : null});
  }
  if (!plot.curves.length) continue;
  plot.cursor = add(box, "cursor");
  plot.choice = add(box, "choice");
  plot.read = add(box, "read");
  plot.read.setAttribute("role", "status");
  box.dataset.live = "";
  box.tabIndex = 0;
  plots.push(plot);
  listen(plot);
}
})();
