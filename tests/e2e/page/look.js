// What a browser makes of pages: look.js MODULES CHROMIUM [FOLDER]. MODULES: a folder with playwright-core and axe-core.
// Reads commands from standard input, one a line: "open URL SCHEME WIDTH TOKEN" shows a page in a window that has nothing
// kept, in place of the one before; "state" prints one line of JSON about what is shown, and "violations" one of axe-core's
// rules that are not kept; "hide" makes the tab look hidden; "select" selects a line of the headline; "fill SELECTOR TEXT",
// "choose SELECTOR VALUE" and "click SELECTOR" do so, selectors without blanks; "end" closes the window. FOLDER: for
// screenshots of windows that end.

const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");

const [modules, executablePath, folder] = process.argv.slice(2);
const { chromium } = require(path.join(modules, "playwright-core"));
const axe = fs.readFileSync(path.join(modules, "axe-core", "axe.min.js"), "utf8");

async function violations({ context, page }) {
  // By the debugger, past the page's policy.
  const debug = await context.newCDPSession(page);
  await debug.send("Runtime.evaluate", { expression: axe });
  const expression = "axe.run().then((r) => r.violations.map((v) => `${v.id}: ${v.nodes[0].html}`))";
  return (await debug.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })).result.value;
}

async function state({ page, url, asked, complaints }) {
  const text = (id) => page.textContent(`#${id}`);
  return {
    title: await page.title(),
    url: page.url(),
    headline: await page.locator("#headline div").allTextContents(),
    trouble: await text("trouble"),
    facts: await text("facts"),
    events: await text("events"),
    doors: await text("doors"),
    heat: await page
      .locator("canvas.heat")
      .evaluateAll((all) => all.filter((one) => one.clientWidth > 0).map((one) => one.getAttribute("aria-label"))),
    classes: (await page.isVisible("#classes")) ? await text("classes") : "",
    confusion: await page
      .locator("#classes-matrix tbody tr")
      .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))),
    fleet: (await page.isVisible("#fleet")) ? `${await text("fleet-words")} ${await text("fleet-trouble")}` : "",
    partitions: await page
      .locator("#fleet-partitions tbody tr")
      .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))),
    answer: `${await text("try-answer")} ${await text("try-classes")} ${await text("try-next")}`,
    try_trouble: await text("try-trouble"),
    fields: await page.locator("#try-fields label").allTextContents(),
    account: await text("plans-account"),
    plans: await page.locator("#plans-list li").allTextContents(),
    plan_fields: (await page.isVisible("#plans-form"))
      ? await page.locator("#plans-fields label").allTextContents()
      : [],
    plans_said: `${await text("plans-said")}${await text("plans-trouble")}`,
    curve_words: await text("curve-words"),
    rate_words: await text("rate-words"),
    legends: await page.locator("#rate .u-legend .u-value").allTextContents(),
    selected: await page.evaluate(() => getSelection().toString()),
    is_old: await page.evaluate(() => document.getElementById("data").classList.contains("old")),
    importances: await page.locator("#importances tbody tr").count(),
    looks: await page.locator("#looks-table tbody tr").count(),
    rows: await page.locator("#curve-table tbody tr").count(),
    canvases: await page.locator("canvas").count(),
    needs_token: await page.isVisible("#token-form"),
    shows_data: await page.isVisible("#data"),
    is_wider: await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
    asked: asked.length,
    elsewhere: asked.filter((one) => !one.startsWith(url)),
    complaints: [...complaints],
  };
}

async function open(browser, url, colorScheme, width, token) {
  const context = await browser.newContext({ colorScheme, viewport: { width: Number(width), height: 900 } });
  const page = await context.newPage();
  const shown = { context, page, url, complaints: [], asked: [], name: `${colorScheme}-${width}.png` };
  page.on("console", (message) => shown.complaints.push(message.text()));
  page.on("pageerror", (error) => shown.complaints.push(error.stack));
  page.on("request", (request) => shown.asked.push(request.url()));
  await page.goto(url);
  if (token) {
    await page.waitForSelector("#token-form:not([hidden])");
    await page.fill("#token", token);
    await page.click("#token-form button");
  }
  return shown;
}

async function main() {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  let shown;
  for await (const command of readline.createInterface({ input: process.stdin })) {
    const [what, selector, ...rest] = command.split(" ");
    if (what === "open") {
      await shown?.context.close();
      shown = await open(browser, selector, ...rest);
      continue;
    }
    const { page } = shown;
    if (what === "hide")
      await page.evaluate(() => {
        Object.defineProperty(document, "hidden", { value: true });
        document.dispatchEvent(new Event("visibilitychange"));
      });
    if (what === "select")
      await page.evaluate(() => getSelection().selectAllChildren(document.querySelector("#headline .quiet")));
    if (what === "fill") await page.fill(selector, rest.join(" "));
    if (what === "choose") await page.selectOption(selector, rest.join(" "));
    if (what === "click") await page.click(selector);
    if (what === "state") console.log(JSON.stringify(await state(shown)));
    if (what === "violations") console.log(JSON.stringify(await violations(shown)));
    if (what === "end") {
      if (folder) await page.screenshot({ path: path.join(folder, shown.name), fullPage: true });
      await shown.context.close();
    }
  }
  await browser.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
