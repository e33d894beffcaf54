// How long the page takes to show its first curve: first_picture.js MODULES CHROMIUM LOADS URL…. MODULES: a folder
// with playwright-core. Each load is of a browser's context of its own, which has nothing kept; the URLs take turns.
// Prints a line of JSON a load: "url"; "milliseconds" from the first byte of the answer to GET / until the frame is done that has the curve, and
// "requests": path, and when it was asked for and answered, in milliseconds since that byte.

const path = require("node:path");

const [modules, executablePath, loads, ...urls] = process.argv.slice(2);
const { chromium } = require(path.join(modules, "playwright-core"));

// In the page, before its own scripts: notes when the frame is done that follows the first canvas of the curve.
function watch() {
  const observer = new MutationObserver(() => {
    if (!document.querySelector("#curve canvas")) return;
    observer.disconnect();
    requestAnimationFrame(() => {
      // Comes once this frame is done, before what the page does afterwards.
      window.scheduler.postTask(
        () => {
          window.firstCurve = performance.now();
        },
        { priority: "user-blocking" },
      );
    });
  });
  observer.observe(document, { childList: true, subtree: true });
}

function told() {
  const begin = performance.getEntriesByType("navigation")[0].responseStart;
  const since = (time) => Math.round(10 * (time - begin)) / 10;
  const { width, height } = document.querySelector("#curve canvas");
  const pixels = document.querySelector("#curve canvas").getContext("2d").getImageData(0, 0, width, height).data;
  return {
    milliseconds: since(window.firstCurve),
    is_drawn: pixels.some((value, i) => i % 4 === 3 && value > 0),
    requests: performance.getEntriesByType("resource").map((one) => ({
      path: new URL(one.name).pathname,
      asked: since(one.startTime),
      answered: since(one.responseEnd),
    })),
  };
}

async function main() {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  for (const url of Array(Number(loads)).fill(urls).flat()) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await page.addInitScript(watch);
    await page.goto(url);
    await page.waitForFunction(() => window.firstCurve !== undefined);
    console.log(JSON.stringify({ url, ...(await page.evaluate(told)) }));
    await context.close();
  }
  await browser.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
