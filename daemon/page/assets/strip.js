// What happened, by name in a strip above a chart, with a line down at its examples.

import { colour } from "./colours.js";
import { eventName } from "./words.js";

const LINES = 4; // of names
const HEIGHT = 14; // of a line
const LONGEST = 80; // letters of a name

function cut(words) {
  return words.length > LONGEST ? `${words.slice(0, LONGEST - 1).trimEnd()}…` : words;
}

/// Pixels above the chart that the names take.
export function stripHeight(events) {
  return events.length === 0 ? 8 : 8 + HEIGHT * Math.min(LINES, events.length);
}

// Which line each name has, and where it begins: those to the right of what stands there already, and to the left of
// their line where the chart ends. What finds no room is in the list below the charts alone.
function arrange(u, events, widthOf) {
  const ends = Array(Math.min(LINES, events.length)).fill(-Infinity);
  return events.map((one) => {
    const x = Math.round(u.valToPos(one.examples, "x", true));
    const words = cut(eventName(one));
    const width = widthOf(words);
    const begin = x + width > u.bbox.left + u.bbox.width ? Math.max(u.bbox.left, x - width) : x;
    const line = ends.findIndex((end) => end <= begin);
    if (line >= 0) ends[line] = begin + width;
    return { x, words, begin, line };
  });
}

/// A hook of uPlot: draws the events of `history`.
export function strip(history) {
  return (u) => {
    const { ctx, bbox } = u;
    const pixel = devicePixelRatio;
    const shown = history.events.filter((one) => one.examples >= u.scales.x.min && one.examples <= u.scales.x.max);
    ctx.save();
    ctx.strokeStyle = colour("--quiet");
    ctx.fillStyle = colour("--ink");
    ctx.lineWidth = pixel;
    ctx.font = `${11 * pixel}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    ctx.textBaseline = "alphabetic";
    for (const { x, words, begin, line } of arrange(u, shown, (text) => ctx.measureText(text).width + 8 * pixel)) {
      const top = bbox.top - (line < 0 ? 0 : (line + 1) * HEIGHT - 2) * pixel;
      ctx.setLineDash([3 * pixel, 3 * pixel]);
      ctx.beginPath();
      ctx.moveTo(x, top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      if (line >= 0) ctx.fillText(words, begin + 4 * pixel, top + (HEIGHT - 4) * pixel);
    }
    ctx.restore();
  };
}
