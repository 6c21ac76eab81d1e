// Drops files into a page of docs/app in Firefox, and prints as JSON what it says: see firefox in ../browser.py.
//
//     node firefox.mjs FIREFOX URL FIELD CASES [TABLES]
import puppeteer from "puppeteer-core";

const [executablePath, url, field, cases, tables] = process.argv.slice(2);
const firefox = await puppeteer.launch({browser: "firefox", executablePath, headless: true});
const timeout = 120000;
try {
  const page = await firefox.newPage();
  const [problems, said] = [[], []];
  page.on("console", (m) => { if (["error", "warn"].includes(m.type())) problems.push(m.text()); });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (r) => { if (!r.url().startsWith(url) && !/^(blob|data):/.test(r.url())) problems.push(r.url()); });
  await page.goto(url);
  for (const paths of JSON.parse(cases)) {
    await page.waitForSelector(`${field}:enabled`);
    await page.evaluate(() => { document.querySelector("#result").hidden = true; });
    await (await page.$(field)).uploadFile(...paths);
    await page.waitForSelector("#result:not([hidden])", {timeout});
    said.push(await page.evaluate(() => ["#message", "#details"].map((part) => document.querySelector(part).textContent)));
  }
  let found;
  if (tables) {
    await (await (await page.$("#report")).contentFrame()).waitForSelector("html.ready");
    found = await page.evaluate(`(${tables})()`);
    await page.click("#ask");
    await page.waitForFunction(() => document.querySelector("#answer").textContent.includes("disallowed"), {timeout});
  }
  console.log(JSON.stringify({version: await firefox.version(), problems, said, tables: found}));
} finally {
  await firefox.close();
}
