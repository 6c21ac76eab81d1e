// Drops archives into the page of docs/app in Firefox, and prints as JSON what comes of it: see ../app.py.
//
//     node firefox.mjs FIREFOX URL TABLES ARCHIVE...
import puppeteer from "puppeteer-core";

const [executablePath, url, tables, ...archives] = process.argv.slice(2);
const firefox = await puppeteer.launch({browser: "firefox", executablePath, headless: true});
try {
  const page = await firefox.newPage();
  const problems = [];
  page.on("console", (m) => { if (["error", "warn"].includes(m.type())) problems.push(m.text()); });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (r) => { if (!r.url().startsWith(url) && !/^(blob|data):/.test(r.url())) problems.push(r.url()); });
  await page.goto(url);
  await page.waitForSelector("#files:enabled");
  await (await page.$("#files")).uploadFile(...archives);
  await page.waitForSelector("#outputs:not([hidden])", {timeout: 120000});
  const frame = await (await page.$("#report")).contentFrame();
  await frame.waitForSelector("html.ready");
  const found = await page.evaluate(`(${tables})()`);
  await page.click("#ask");
  await page.waitForFunction(() => document.querySelector("#answer").textContent.includes("disallowed"), {timeout: 120000});
  console.log(JSON.stringify({version: await firefox.version(), problems, tables: found}));
} finally {
  await firefox.close();
}
