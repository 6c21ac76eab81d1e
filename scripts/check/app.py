"""The page that runs the program in a browser, in headless Chromium: tables, report and verdicts as the native program
gives them, no request but for the page's own files, offline, cancel, bad input; WCAG 2.2 A and AA.

    app BINARY [FILE...] [--pictures FOLDER]

It drops each archive of testdata and of ../shared/warc/real, and FILEs in place of them if there are any. Needs Go and
npm, and installs Chromium (Debian's) where it is missing. With Debian's firefox-esr it drops testdata there, too.
"""

import contextlib
import functools
import hashlib
import http.server
import pathlib

import browser
from lib import ARCHIVES, MEMORY, ROOT, Quiet, Tally, call, folder, script, serve, shared

ENVIRONMENT = "requirements-browser.txt"
PROGRAM = 120_000  # milliseconds in which a command ends
BUNDLE = "Beweis für Müller.warc.gz"


class Server(Quiet, http.server.SimpleHTTPRequestHandler):
    """Serves the files of a folder."""


# What each table is saved as. Chromium drops downloads where there are more than ten a second, so none is begun.
TABLES = """async () => {
  const [select, button, found] = [document.querySelector("#table"), document.querySelector("#save-parquet"), {}];
  const [create, click] = [URL.createObjectURL, HTMLAnchorElement.prototype.click];
  HTMLAnchorElement.prototype.click = () => {};
  for (const option of select.options) {
    select.value = option.value;
    const saved = new Promise((resolve) => { URL.createObjectURL = (blob) => { resolve(blob); return "#"; }; });
    await button.onclick();
    const digest = await crypto.subtle.digest("SHA-256", await (await saved).arrayBuffer());
    found[option.value] = Array.from(new Uint8Array(digest), (b) => b.toString(16).padStart(2, "0")).join("");
  }
  Object.assign(URL, {createObjectURL: create});
  HTMLAnchorElement.prototype.click = click;
  return found;
}"""


@contextlib.contextmanager
def served(site):
    """Serves a folder below a path, on loopback: the page must not need the root of its server."""
    server = serve(functools.partial(Server, directory=site.parent))
    try:
        yield f"http://127.0.0.1:{server.server_port}/{site.name}/"
    finally:
        server.shutdown()
        server.server_close()


class App:
    """The page in a context of its own, and what is wrong with it meanwhile."""

    def __init__(self, chromium, url, tally, width=1280, **settings):
        self.url, self.tally = url, tally
        self.context = chromium.new_context(viewport={"width": width, "height": 900}, accept_downloads=True, **settings)
        self.page = self.context.new_page()
        self.problems = []
        self.page.on("console", lambda m: self.problems.append(f"console {m.type}: {m.text}") if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.problems.append(f"error: {e}"))
        self.context.on("request", lambda r: self.problems.append(f"request: {r.url[:100]}")
                        if not r.url.startswith((url, f"blob:{url.split('/', 3)[0]}")) else None)

    def __enter__(self):
        self.page.goto(self.url)
        self.page.wait_for_selector("#files:enabled")
        return self

    def __exit__(self, *_):
        self.tally.check("no request but for the page's files, no violation of its policy", not self.problems, self.problems[:5] or "")
        self.context.close()

    def drop(self, *paths):
        self.page.set_input_files("#files", list(paths))
        self.page.wait_for_selector("#result:not([hidden])", timeout=PROGRAM)
        return self.page.locator("#message").inner_text()

    def wait(self, selector, text):
        self.page.wait_for_function("([s, t]) => document.querySelector(s).textContent.includes(t)", arg=[selector, text], timeout=PROGRAM)

    def saved(self, button):
        with self.page.expect_download() as download:
            self.page.click(button)
        return pathlib.Path(download.value.path()).read_bytes()

    def tables(self):
        """The SHA-256 of all tables by name, as the page saves them."""
        return self.page.evaluate(TABLES)


def check_same(app, binary, name, paths, tally, *flags):
    """Tables and report are those of the native program."""
    said = app.drop(*paths)
    with folder(dir=MEMORY) as out:
        call(binary, "audit", "--quiet", "-o", out, *flags, *paths)
        native = {path.stem: hashlib.sha256(path.read_bytes()).hexdigest() for path in out.glob("*.parquet")}
        if not app.page.locator("#outputs").is_visible():
            tally.check(f"{name}: nothing to audit, natively either", "No fetch" in said, said)
            return
        ours = app.tables()
        tally.equal(f"{name}: names of tables", sorted(ours), sorted(native))
        differ = [table for table in native if native[table] != ours.get(table)]
        tally.check(f"{name}: {len(native)} tables, byte for byte", not differ, differ or "")
        tally.check(f"{name}: the report, byte for byte", app.saved("#save-report") == (out / "report.html").read_bytes())


def check_report(app, tally):
    """The report runs in its frame, and neither it nor the worker can reach another server."""
    frame = app.page.frame_locator("#report")
    frame.locator("html.ready").wait_for(state="attached", timeout=20_000)
    tally.check("the report's scripts run in the frame", True)
    frame.locator("nav a[href='#violations']").click()
    app.page.wait_for_timeout(1000)
    top = frame.locator("#violations").evaluate("e => e.getBoundingClientRect().top")
    tally.check("links within the report lead there", abs(top) < 200, top)


def check_reach(app, tally):
    """Neither page nor worker can open a connection to another server. It is the last check of a page: it violates the policy."""
    attempt = """() => new Promise((resolve) => {
      addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
      fetch("http://127.0.0.2:9/").then(() => resolve("sent"), () => setTimeout(() => resolve("failed"), 1000));
    })"""
    for name, context in (("page", app.page), ("worker", app.page.workers[0])):
        told = context.evaluate(attempt)
        tally.check(f"the {name}'s policy forbids a connection to another server", told == "connect-src", told)
    app.page.wait_for_timeout(200)
    app.problems = [problem for problem in app.problems if "127.0.0.2" not in problem and "Content Security" not in problem]


def check_tables(app, binary, out, tally):
    page = app.page
    page.select_option("#table", "fetches")
    app.wait("#table-status", "Rows 1–25")
    page.click("#next")
    app.wait("#table-status", "Rows 26–50")
    tally.equal("rows of the second page", page.locator("#rows tr").count(), 25)
    page.fill("#words", "shut Wget")
    app.wait("#table-status", "Matches 1–")
    rows = page.locator("#rows tr").all_inner_texts()
    tally.check("a search finds rows that have all words", rows and all("shut" in r and "Wget" in r for r in rows), len(rows))
    page.fill("#words", "no row has this")
    app.wait("#table-status", "No row matches.")
    page.select_option("#table", "violations")
    app.wait("#table-status", "Rows 1–25")
    lines = app.saved("#save-csv").decode("utf-8-sig").split("\r\n")
    tally.check("CSV has a line for each row", len(lines) == 42 + 2 and lines[0].startswith("url,"), len(lines))
    page.get_by_role("button", name="Explain row 2", exact=True).click()
    app.wait("#explanation", "The fetch")
    tally.equal("explain", page.locator("#explanation").text_content().strip(), call(binary, "explain", out, 2).strip())


def check_evidence(app, binary, work, tally):
    """The bundle that the page saves is the native one; it verifies, and one altered byte is refused."""
    bundle = app.saved("#save-bundle")
    tally.check("the bundle of evidence, byte for byte", bundle == (work / BUNDLE).read_bytes())
    app.drop(work / BUNDLE)
    tally.equal("what verification says", app.page.locator("#details").text_content(), call(binary, "verify", BUNDLE, cwd=work))


def check_match(app, binary, work, tally):
    page = app.page
    (work / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n")
    page.fill("#robots", (work / "robots.txt").read_text())
    for url in ("https://example.com/private/page", "https://müller.example/private/日本 🔒"):
        page.fill("#url", url)
        page.click("#ask")
        app.wait("#answer", url.rpartition("/")[2])
        wanted = call(binary, "match", "--full", work / "robots.txt", "GPTBot", url)
        tally.equal(f"one question: {url}", page.locator("#answer").text_content().strip(), wanted.strip())


def make_cases(binary, work):
    """Files that are dropped together, and what the page says of them."""
    call(binary, "evidence", work / "out", "--to", work / BUNDLE)
    bundle, archive = (path.read_bytes() for path in (work / BUNDLE, next(a for a in ARCHIVES if a.name == "crawl-a-1.warc.gz")))
    for name, content in {
        "text.txt": b"This is no archive.\n", "empty.warc.gz": b"", "Archiv, 日本 🔒.warc.gz": archive, "cut.warc.gz": archive[:30_000],
        "changed.warc.gz": archive[:9000] + b"x" + archive[9001:], "refused.warc.gz": bundle[:9000] + b"x" + bundle[9001:],
    }.items():
        (work / name).write_bytes(content)
    report, missing = work / "out/report.html", "Done, but some input could not be read completely."
    return [([work / first, *more] if first else more, words) for first, more, words in (
        ("text.txt", [], "text.txt: it is no archive"), ("", [ROOT / "docs/report.png"], "report.png: it is no archive"),
        ("empty.warc.gz", [], "empty.warc.gz: the file is empty"),
        ("Archiv, 日本 🔒.warc.gz", [], "Done. All input was read."), ("cut.warc.gz", [], missing), ("changed.warc.gz", [], missing),
        (BUNDLE, [], "42 findings in this file are proven."), (BUNDLE, [report], "report.html shows 51 findings by name. Proven here: 42."),
        ("", [report], "report.html carries no proof; drop the bundle with it."), ("refused.warc.gz", [], "refused.warc.gz is refused."))]


def check_cases(app, cases, tally):
    for paths, words in cases:
        said = app.drop(*paths)
        tally.check(f"{', '.join(path.name for path in paths)}: said plainly", words in said, said.replace("\n", " "))


def check_huge(app, tally):
    app.page.evaluate("""() => {
      const huge = new File(["x"], "huge.warc");
      Object.defineProperty(huge, "size", {value: 20e9});
      const event = new Event("drop");
      event.dataTransfer = {files: [huge]};
      dispatchEvent(event);
    }""")
    said = app.page.locator("#message").inner_text()
    tally.check("a file of 20 GB: said before it is read", "20 GB" in said and "Install" in said, said.replace("\n", " "))


def check_memory(playwright, url, tally):
    """An audit that finds no memory says so."""
    chromium = browser.launch(playwright, "--js-flags=--wasm-max-mem-pages=400")  # 26 MB
    with App(chromium, url, tally) as app:
        said = app.drop(*ARCHIVES)
        tally.check("too little memory", "was not enough" in said, said.splitlines()[0])
        tally.equal("and is not called done", app.page.locator("#status").text_content(), "")
    chromium.close()


def check_options(app, binary, tally):
    """Each option is the flag of its name, and a token that cannot be one is refused."""
    page = app.page
    page.click("#options summary")
    page.fill("#crawler", "*")
    said = app.drop(ARCHIVES[0])
    tally.check("a wrong product token: said plainly", "is no product token" in said and not page.locator("#outputs").is_visible(), said)
    page.fill("#crawler", "SampleCrawler")
    page.select_option("#agents", "ai")
    page.select_option("#purpose", "train")
    check_same(app, binary, "testdata with options", ARCHIVES, tally, "--crawler=SampleCrawler", "--agents=ai", "--purpose=train")


def check_cancel(app, work, tally):
    """An audit that is cancelled ends, and the next one works."""
    big = work / "big.warc"
    with open(big, "wb") as f:
        block = next(a for a in ARCHIVES if a.suffix == ".warc").read_bytes()
        for _ in range(2000):
            f.write(block)
    page = app.page
    page.set_input_files("#files", big)
    app.wait("#doing", "Reading big")
    asks = page.evaluate("!dispatchEvent(new Event('beforeunload', {cancelable: true}))")
    tally.check("leaving the page while it runs is asked about", asks)
    page.click("#cancel")
    app.wait("#status", "Cancelled")
    page.wait_for_timeout(4000)  # Chromium gives a worker some seconds
    tally.check("cancel ends the worker", len(page.workers) <= 1 and not page.locator("#running").is_visible(), len(page.workers))
    asks = page.evaluate("!dispatchEvent(new Event('beforeunload', {cancelable: true}))")
    tally.check("and leaving is not asked about then", not asks)
    said = app.drop(ARCHIVES[0])
    tally.check("the next audit works", said.startswith("Done"), said)
    big.unlink()


def check_keyboard(app, tally):
    page = app.page
    page.keyboard.press("Tab")
    tally.equal("the first stop is the skip link", page.evaluate("document.activeElement.className"), "skip")
    page.focus("#sample")
    page.keyboard.press("Enter")
    page.wait_for_selector("#outputs:not([hidden])", timeout=PROGRAM)
    tally.equal("the focus goes to the result", page.evaluate("document.activeElement.id"), "result")


def check_offline(app, tally):
    """After the first visit all works without a network."""
    page = app.page
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    app.context.set_offline(True)
    page.goto(app.url)
    page.wait_for_selector("#files:enabled")
    page.click("#sample")
    page.wait_for_selector("#outputs:not([hidden])", timeout=PROGRAM)
    tally.check("offline: the sample is audited", True)
    app.context.set_offline(False)


def check_accessibility(chromium, url, axe, tally, pictures):
    for scheme, width in browser.VIEWS:
        with App(chromium, url, tally, width, color_scheme=scheme) as app:
            page = app.page

            def look(state):
                page.evaluate(axe) if not page.evaluate("'axe' in window") else None
                result = page.evaluate("axe.run({exclude: ['#report']}, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})")
                found = [f"{v['id']}: {v['nodes'][0]['html'][:100]}" for v in result["violations"]]
                overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                tally.check(f"{state}, {scheme}, {width}: axe, width", not found and overflow <= 0, found or overflow or "")
                if pictures:
                    page.screenshot(path=pictures / f"{state}-{width}-{scheme}.png", full_page=True)

            page.click("#options summary")
            look("start")
            page.click("#sample")
            page.wait_for_selector("#outputs:not([hidden])", timeout=PROGRAM)
            page.get_by_role("button", name="Explain row 1", exact=True).click()
            app.wait("#explanation", "The fetch")
            page.click("#ask")
            app.wait("#answer", "disallowed")
            look("report")


def check_firefox(url, out, cases, tally):
    """The same words and tables, and the report's frame, in Firefox, where Debian's is there."""
    if said := browser.firefox(url, "#files", [paths for paths, _ in cases] + [ARCHIVES], tally, TABLES):
        for (paths, words), (message, _) in zip(cases, said["said"]):
            tally.check(f"Firefox, {', '.join(path.name for path in paths)}: said plainly", words in message, message)
        native = {path.stem: hashlib.sha256(path.read_bytes()).hexdigest() for path in out.glob("*.parquet")}
        tally.equal(f"{said['version']}: tables, byte for byte", said["tables"], native)


def main(binary: pathlib.Path, *files: pathlib.Path, pictures: pathlib.Path = None):
    from playwright.sync_api import sync_playwright

    tally, axe = Tally(), browser.axe_core()
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    binary = binary.resolve()
    with folder(dir=MEMORY) as work, sync_playwright() as playwright:
        print(script("make", "app", work / "site").strip(), flush=True)
        chromium = browser.launch(playwright)
        with served(work / "site") as url:
            if not files:
                call(binary, "audit", "--quiet", "-o", work / "out", *ARCHIVES)
                files = [*ARCHIVES, *(path for real in shared("warc/real") for path in sorted(real.iterdir()))]
            with App(chromium, url, tally) as app:
                for path in files:
                    check_same(app, binary, path.name, [path], tally)
            if (work / "out").exists():
                cases = make_cases(binary, work)
                with App(chromium, url, tally) as app:
                    check_same(app, binary, "testdata", ARCHIVES, tally)
                    check_report(app, tally)
                    check_tables(app, binary, work / "out", tally)
                    check_evidence(app, binary, work, tally)
                    check_match(app, binary, work, tally)
                    check_cases(app, cases, tally)
                    check_huge(app, tally)
                    check_cancel(app, work, tally)
                    check_options(app, binary, tally)
                with App(chromium, url, tally) as app:
                    check_keyboard(app, tally)
                    check_offline(app, tally)
                    check_reach(app, tally)
                check_memory(playwright, url, tally)
                check_firefox(url, work / "out", cases, tally)
                check_accessibility(chromium, url, axe, tally, pictures)
        chromium.close()
    print(f"{tally.done - tally.failed} passed, {tally.failed} failed")
    return tally.failed
