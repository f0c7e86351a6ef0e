// The pages of `skc stats --format html` in a browser: they load nothing, fit on a phone, support dark mode, and
// collapsed parts can be reached with the keyboard.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

const { CHROMIUM, PAGES, SHOTS } = process.env;

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const WIDE = { width: 1000, height: 900 };
const PHONE = { width: 390, height: 844 };

let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
});

after(() => browser?.close());

/** Opens a page without a network, and records its requests and its errors. */
async function open(name, { viewport = WIDE, colorScheme = "light" } = {}) {
  const context = await browser.newContext({ viewport, colorScheme, offline: true });
  const page = await context.newPage();
  const requests = [];
  const complaints = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  const url = pathToFileURL(join(PAGES, `${name}.html`)).href;
  await page.goto(url, { waitUntil: "networkidle" });
  return { page, requests, complaints, url };
}

/** Takes a screenshot of a whole page. */
async function shoot(page, name) {
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

/** Returns the cells of the table in a part of the page. */
function cells(page, id) {
  return page.$$eval(`section[aria-labelledby="${id}"] tbody tr`, (rows) =>
    rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim())),
  );
}

/** Returns the computed value of a style property of an element. */
function style(page, selector, property) {
  return page.$eval(selector, (found, name) => getComputedStyle(found)[name], property);
}

/** Returns the lightness of a colour, from 0 to 255. */
function lightness(color) {
  const parts = color.match(/\d+/g).slice(0, 3).map(Number);
  return parts.reduce((sum, part) => sum + part, 0) / 3;
}

/** Returns the contrast of two colours as defined by the accessibility guidelines (WCAG). */
function contrast(one, other) {
  const luminance = (color) => {
    const [r, g, b] = color.match(/\d+/g).slice(0, 3).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

for (const name of ["used", "unused", "hostile"]) {
  describe(`the page '${name}'`, () => {
    test("asks for nothing but itself and has no complaint", async () => {
      const { page, requests, complaints, url } = await open(name);
      await page.evaluate(() => document.fonts.ready);
      assert.deepEqual(requests, [url]);
      assert.deepEqual(complaints, []);
      await page.context().close();
    });

    test("runs no script, not even one that is put into it", async () => {
      const { page } = await open(name);
      assert.equal(await page.locator("script").count(), 0);
      const ran = await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "document.title = 'ran'";
        document.body.append(script);
        return document.title === "ran";
      });
      assert.equal(ran, false);
      await page.context().close();
    });

    for (const viewport of [WIDE, PHONE, { width: 320, height: 600 }]) {
      test(`is no wider than a window of ${viewport.width} pixels`, async () => {
        const { page } = await open(name, { viewport });
        for (const summary of await page.locator("summary").all()) {
          await summary.click();
        }
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= viewport.width, `${width}`);
        const outside = await page.$$eval(
          "h1, dd, th, td, li, svg text, p, caption",
          (all, most) =>
            all
              .filter((one) => one.getClientRects().length > 0)
              .filter((one) => one.getBoundingClientRect().right > most + 0.5)
              .map((one) => one.textContent.slice(0, 60)),
          viewport.width,
        );
        assert.deepEqual(outside, []);
        await page.context().close();
      });
    }

    test("can be looked at", async () => {
      for (const colorScheme of ["light", "dark"]) {
        const { page } = await open(name, { colorScheme });
        await shoot(page, `${name}-${colorScheme}`);
        await page.context().close();
      }
      const { page } = await open(name, { viewport: PHONE });
      await shoot(page, `${name}-phone`);
      await page.context().close();
    });
  });
}

describe("the numbers", () => {
  let page;

  before(async () => {
    ({ page } = await open("used"));
  });

  after(() => page.context().close());

  test("are those of the log", async () => {
    const totals = await page.$$eval(".totals dd", (all) => all.map((one) => one.textContent));
    assert.deepEqual(totals, ["245", "6", "3", "11"]);
    assert.deepEqual(await cells(page, "searches"), [
      ["quota", "22"],
      ["rate limits", "11"],
      ["rollback window", "11"],
    ]);
    assert.deepEqual(await cells(page, "zero-results"), [["rollback window", "11"]]);
    assert.equal((await cells(page, "timeline")).length, 22);
    assert.deepEqual((await cells(page, "sections"))[0], ["SetupSKILL.md", "66"]);
  });

  test("are drawn: a bar is as long as its count, and one chart of two is shown", async () => {
    for (const id of ["timeline", "sections", "commands"]) {
      const charts = page.locator(`section[aria-labelledby="${id}"] svg`);
      assert.equal(await charts.count(), 2);
      assert.equal(await charts.and(page.locator(":visible")).count(), 1, id);
    }
    const bars = await page.$$eval('section[aria-labelledby="sections"] svg.wide rect', (all) =>
      all.map((bar) => [bar.textContent, bar.getBoundingClientRect().width]),
    );
    const counts = (await cells(page, "sections")).map((row) => Number(row[1]));
    assert.equal(bars.length, counts.length);
    const lengths = bars.map(([, width]) => width);
    for (const [at, count] of counts.entries()) {
      assert.ok(Math.abs(lengths[at] / lengths[0] - count / counts[0]) < 0.01, `${at}`);
    }
    assert.ok(bars[0][0].startsWith("Setup: 66"), bars[0][0]);
  });

  test("of the timeline are as high as they are many, failures on top", async () => {
    const rows = await cells(page, "timeline");
    const parts = await page.$$eval('section[aria-labelledby="timeline"] svg.wide rect', (all) =>
      all.map((bar) => {
        const { x, top, height } = bar.getBoundingClientRect();
        return { day: bar.textContent.slice(0, 10), x, top, height };
      }),
    );
    const whole = (day) => {
      const own = parts.filter((part) => part.day === day);
      return own.reduce((sum, part) => sum + part.height, 0);
    };
    const unit = whole(rows[0][0]) / Number(rows[0][1]);
    for (const [day, count] of rows) {
      assert.ok(Math.abs(whole(day) / unit - Number(count)) < 0.2, day);
    }
    const [lower, upper] = parts.filter((part) => part.day === rows[0][0]);
    assert.ok(upper.top < lower.top && upper.x === lower.x);
  });
});

describe("colours", () => {
  test("are light or dark as the reader has it, and easy to read", async () => {
    const seen = {};
    for (const colorScheme of ["light", "dark"]) {
      const { page } = await open("used", { colorScheme });
      const paper = await style(page, "body", "backgroundColor");
      seen[colorScheme] = {
        paper: lightness(paper),
        ink: lightness(await style(page, "body", "color")),
        label: lightness(await style(page, "svg.wide text", "fill")),
        bar: await style(page, "svg.wide rect", "fill"),
      };
      const chart = 'section[aria-labelledby="timeline"] svg.wide';
      for (const [selector, property] of [
        ["body", "color"],
        ["caption", "color"],
        [".detail", "color"],
        ["nav a", "color"],
        [".totals .failed dd", "color"],
        [`${chart} text`, "fill"],
      ]) {
        const ratio = contrast(paper, await style(page, selector, property));
        assert.ok(ratio >= 4.5, `${colorScheme} ${selector}: ${ratio}`);
      }
      const ratio = contrast(paper, seen[colorScheme].bar);
      assert.ok(ratio >= 3, `${colorScheme} bar: ${ratio}`);
      await page.context().close();
    }
    const { light, dark } = seen;
    assert.ok(light.paper > 200 && dark.paper < 60, JSON.stringify(seen));
    assert.ok(light.ink < 80 && dark.ink > 180 && light.label < dark.label, JSON.stringify(seen));
    assert.notEqual(light.bar, dark.bar);
  });
});

describe("the keyboard", () => {
  test("skips to the numbers first", async () => {
    const { page } = await open("used");
    await page.keyboard.press("Tab");
    const first = page.locator(":focus");
    assert.equal(await first.getAttribute("class"), "skip");
    const box = await first.boundingBox();
    assert.ok(box.y >= 0, "it is seen while it has the focus");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await page.context().close();
  });

  test("opens the numbers of every chart, and shows where it is", async () => {
    const { page } = await open("used");
    const summaries = await page.locator("summary").count();
    assert.equal(summaries, 3);
    let opened = 0;
    for (let steps = 0; steps < 60 && opened < summaries; steps += 1) {
      await page.keyboard.press("Tab");
      const focus = page.locator(":focus");
      const outline = await focus.evaluate((one) => getComputedStyle(one).outlineStyle);
      assert.notEqual(outline, "none");
      if ((await focus.evaluate((one) => one.tagName)) === "SUMMARY") {
        await page.keyboard.press("Enter");
        opened += 1;
        const table = focus.locator("xpath=..").locator("table");
        assert.ok(await table.isVisible());
      }
    }
    assert.equal(opened, summaries);
    await page.context().close();
  });

  test("follows the list of parts", async () => {
    const { page } = await open("used");
    const links = await page.locator("nav a").all();
    assert.equal(links.length, 9);
    for (const link of links) {
      const id = (await link.getAttribute("href")).slice(1);
      assert.equal(await page.locator(`h2#${id}`).innerText(), await link.innerText());
    }
    await page.context().close();
  });
});

describe("those who do not see the page", () => {
  test("have headings, labelled tables and labelled charts", async () => {
    const { page } = await open("used");
    const headings = await page.locator("h1, h2, h3, h4").evaluateAll((all) => all.map((one) => one.tagName));
    assert.equal(headings[0], "H1");
    assert.ok(headings.slice(1).every((tag) => tag === "H2"));
    for (const summary of await page.locator("summary").all()) {
      await summary.click();
    }
    for (const name of ["Accesses by day", "Reads by section", "Accesses by command"]) {
      assert.equal(await page.getByRole("img", { name, exact: true }).count(), 1, name);
    }
    assert.equal(await page.getByRole("table", { name: "3 queries, most frequent first" }).count(), 1);
    assert.equal(await page.getByRole("rowheader", { name: "quota" }).count(), 1);
    assert.equal(await page.getByRole("main").count(), 1);
    await page.context().close();
  });
});

describe("hostile names", () => {
  test("stay names", async () => {
    const { page } = await open("hostile");
    assert.equal(await page.locator("img, script, iframe").count(), 0);
    const queries = (await cells(page, "searches")).map((row) => row[0]);
    assert.ok(queries.includes("</svg><script>alert(1)</script>"));
    assert.ok(queries.includes('" onmouseover="alert(1)" x="'));
    assert.ok(queries.includes("مرحبا بالعالم"));
    await page.context().close();
  });
});
