"""Reports in headless Chromium: no error, no request, no attack that gets through; search, sorting, paper; WCAG 2.2 A and AA.

    browser [REPORT.html...] [--pictures FOLDER]

Without a report it makes those of browser/main.go. --pictures keeps screenshots at 1280, 768 and 390 pixels, light and
dark, and the printed PDF. Needs Go and npm, and installs Chromium (Debian's) where it is missing.
"""

import json
import pathlib
import re
import shutil

import run
from lib import ROOT, call, folder

ENVIRONMENT = "requirements-browser.txt"
HERE = pathlib.Path(__file__).resolve().parent / "browser"

WIDTHS = (1280, 768, 390)
LARGEST = 3_100_000  # bytes
A4 = 672  # pixels between the margins, and a little less than those of Letter
VIEWS = [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)]
CHROMIUM = [
    "--no-sandbox",  # Chromium refuses to run as root with it
    "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run"]


class Report:
    """A report, opened anew for each check, and what Chromium says of it meanwhile."""

    def __init__(self, browser, path):
        self.browser = browser
        self.path = path
        self.url = path.resolve().as_uri()
        self.failures = []

    def fail(self, what):
        self.failures.append(what)
        print(f"FAIL {self.path.name}: {what}")

    def expect(self, condition, what):
        if not condition:
            self.fail(what)

    def open(self, width=1280, **settings):
        context = self.browser.new_context(viewport={"width": width, "height": 900}, **settings)
        page = context.new_page()
        page.on("console", lambda m: self.fail(f"console {m.type}: {m.text}") if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: self.fail(f"error: {e}"))
        page.on("dialog", lambda d: (self.fail(f"an attack ran: {d.message}"), d.dismiss()))
        page.on("request", lambda r: self.fail(f"request: {r.url[:100]}") if r.url.split("#")[0] not in (self.url, "about:blank") else None)
        page.goto(self.url)
        if settings.get("java_script_enabled", True):
            page.wait_for_selector("html.ready", state="attached", timeout=10_000)
        return page


def check_opening(report):
    """Tells the processor time that opening takes. Nothing judges it: machines differ."""
    session = report.browser.new_browser_cdp_session()
    used = lambda: sum(p["cpuTime"] for p in session.send("SystemInfo.getProcessInfo")["processInfo"] if p["type"] == "renderer")
    times = []
    for _ in range(3):
        before = used()
        page = report.open()
        times.append(used() - before)
        page.context.close()
    session.detach()
    size = report.path.stat().st_size
    report.expect(size <= LARGEST, f"{size:,} bytes")
    return f"{size:,} bytes, opens in {min(times):.2f} s of CPU"


def check_structure(report):
    page = report.open()
    report.expect(page.locator("h1").count() == 1, "one h1")
    levels = page.eval_on_selector_all("h1, h2, h3, h4", "all => all.map(h => Number(h.localName[1]))")
    report.expect(all(b <= a + 1 for a, b in zip(levels, levels[1:])), f"headings skip a level: {levels}")
    links = page.eval_on_selector_all("a", "all => all.map(a => a.getAttribute('href'))")
    for link in {link for link in links if not link.startswith("#f-")}:  # of findings: see check_links
        report.expect(re.fullmatch(r"#[a-z-]+", link) and page.locator(link).count() == 1, f"link {link}")
    contents = page.eval_on_selector_all("nav a", "all => all.map(a => a.getAttribute('href'))")
    sections = page.eval_on_selector_all("main > section", "all => all.map(s => '#' + s.id)")
    report.expect({"#answer", *contents} == set(sections), f"contents {contents}, sections {sections}")
    for section in sections:
        report.expect(page.locator(section).inner_text().strip() != "", f"section {section} is empty")
    unnamed = page.locator("table:not(:has(> caption))").count() + page.locator("thead th:not([scope=col])").count()
    report.expect(unnamed == 0, "tables without caption or header cells without scope")
    page.context.close()


def check_without_scripts(report):
    page = report.open(java_script_enabled=False)
    for table in page.locator("main table:not(.numbers table)").all():
        report.expect(table.locator("tbody tr").first.is_visible(), "a table shows no row without JavaScript")
    for details in page.locator(".finding details").all()[:3]:
        details.locator("summary").click()
        report.expect(details.locator("dl").is_visible(), "a proof does not open without JavaScript")
    report.expect(page.locator(".controls, .pager").count() == 0, "controls without JavaScript")
    page.context.close()


def check_tables(report):
    """Search, sorting, choice and pages of each table that has them."""
    page = report.open()
    page.evaluate("document.querySelectorAll('.numbers').forEach(d => d.open = true)")
    for frame in page.locator(".table.enhanced").all():
        name = frame.locator("table").get_attribute("id")
        status = frame.locator("[role=status]")
        live = frame.locator("tbody.live > tr:not(.proof)")
        total = number(status.inner_text().split(" of ")[1])
        report.expect(live.count() == min(total, 25), f"{name}: {live.count()} of {total} rows")

        next_page = frame.get_by_role("button", name="Next")
        if total > 25:
            first = live.first.inner_text()
            next_page.click()
            page.wait_for_function("([e, t]) => e.textContent.startsWith(t)", arg=[status.element_handle(), "26–"])
            report.expect(live.first.inner_text() != first, f"{name}: the next page is the first")

        for i, head in enumerate(frame.locator("thead th").all()):
            for _ in range(2):
                head.get_by_role("button").click()
                page.wait_for_timeout(60)
                order = head.get_attribute("aria-sort")
                cells = live.locator(f":scope > :nth-child({i + 1})")
                values = cells.evaluate_all("all => all.map(c => c.dataset.number === undefined ? c.textContent : Number(c.dataset.number))")
                if values and isinstance(values[0], (int, float)):
                    wanted = sorted(values, reverse=order == "descending")
                    report.expect(order in ("ascending", "descending"), f"{name}: column {i} is not sorted")
                    report.expect(values == wanted, f"{name}: column {i}, {order}: {values}")

        last = live.last.locator(":scope > :nth-child(4), :scope > :first-child").last.inner_text()
        search = frame.get_by_role("searchbox")
        search.fill(last)
        page.wait_for_timeout(60)
        found = live.all_inner_texts()
        words = last.lower().split()
        report.expect(found and all(w in row.lower() for row in found for w in words), f"{name}: search for {last!r} finds {len(found)}")
        search.fill("no row has this")
        page.wait_for_timeout(60)
        report.expect(status.inner_text() == "No row matches." and live.count() == 0, f"{name}: a search without a match finds")
        search.fill("")

        choice = frame.locator("select")
        if choice.count():
            for option in choice.locator("option").all_inner_texts()[1:]:
                choice.select_option(option)
                page.wait_for_timeout(60)
                shown = live.locator("td.certainty").all_inner_texts()
                report.expect(shown and set(shown) == {option}, f"{name}: choice of {option} shows {set(shown)}")
            choice.select_option("all")
        if name.endswith("-list"):
            frame.locator("tbody.live summary").last.click()
            report.expect(frame.locator("tbody.live dl").last.is_visible(), f"{name}: a proof does not open")
            report.expect("{{" not in frame.inner_text().replace("{{.Title}}", ""), f"{name}: an unfinished template")
    page.context.close()


def check_links(report):
    """A site leads to its findings, and the name of a finding, quoted, to its proof."""
    page = report.open()
    violations = page.locator("#violations .table.enhanced")
    if violations.count():
        link = page.locator("#sites tbody:visible a[href='#violations']").filter(has_not_text="<").first  # not what an attacker added
        if link.count():  # a site alone is a sentence
            site = link.inner_text()
            link.click()
            page.wait_for_timeout(60)
            urls = violations.locator("tbody.live tr:first-child td.code:nth-child(4)").all_inner_texts()
            report.expect(urls and all(site in url for url in urls), f"{site} leads to {urls[:3]}")
            report.expect(page.evaluate("location.hash") == "#violations", "a site leads elsewhere")
        violations.get_by_role("searchbox").fill("")
        for _ in range(12):  # of the packed rows
            if violations.get_by_role("button", name="Next").is_enabled():
                violations.get_by_role("button", name="Next").click()
                page.wait_for_timeout(30)
        name = violations.locator("tbody.live th.name").last.inner_text()
        page.goto("about:blank")
        page.goto(f"{report.url}#{name}")
        page.wait_for_selector("html.ready", state="attached")
        report.expect(page.locator("tbody.live details[open]").count() == 1 and
                      name in page.locator("tbody.live:has(details[open]) th.name").inner_text(), f"#{name} opens another")
        report.expect(page.locator("tbody.live details[open] summary").is_visible(), f"#{name} is not in sight")
    page.context.close()


def number(text):
    return int(re.match(r"[\d,]+", text).group().replace(",", ""))


# What an attacker who got markup into the page could try; each must fail.
ATTACKS = """async () => {
  const through = [];
  const attempt = async (name, f) => { try { if (await f()) through.push(name); } catch {} };
  const add = (name, set) => document.body.append(Object.assign(document.createElement(name), set));
  await attempt("inline script", () => { add("script", {textContent: "window.attacked = true"}); return window.attacked; });
  await attempt("event handler", async () => {
    document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.attacked = true'>");
    await new Promise(r => setTimeout(r, 50));
    return window.attacked;
  });
  await attempt("inline style", () => { add("style", {textContent: "h1 {display: none}"}); return getComputedStyle(document.querySelector("h1")).display === "none"; });
  await attempt("fetch", async () => await fetch("data:text/plain,x"));
  await attempt("frame", async () => {
    const frame = Object.assign(document.createElement("iframe"), {srcdoc: "<script>parent.attacked = true</" + "script>"});
    document.body.append(frame);
    await new Promise(r => setTimeout(r, 50));
    return window.attacked;
  });
  await attempt("eval in the page", () => { const s = document.createElement("a"); s.setAttribute("onclick", "window.attacked = true"); s.click(); return window.attacked; });
  return through;
}"""


def check_policy(report):
    """Nothing that is not the report's own may run, be styled or be fetched."""
    context = report.browser.new_context()
    page = context.new_page()
    requests = []
    page.on("requestfinished", lambda r: requests.append(r.url))  # a forbidden one is told, too, and fails
    page.goto(report.url)
    page.wait_for_selector("html.ready", state="attached")
    through = page.evaluate(ATTACKS)
    report.expect(not through, f"the policy lets through: {through}")
    report.expect(requests == [report.url], f"requests: {requests}")
    context.close()


def check_accessibility(report, axe):
    for scheme, width in VIEWS:
        page = report.open(width, color_scheme=scheme)
        page.evaluate("document.querySelectorAll('tbody.live details').forEach((d, i) => d.open = i < 3)")
        page.evaluate(axe)
        result = page.evaluate("axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})")
        for violation in result["violations"]:
            nodes = "; ".join(n["html"][:120] for n in violation["nodes"][:3])
            report.fail(f"axe, {scheme}, {width}: {violation['id']} ({len(violation['nodes'])}): {violation['help']}: {nodes}")
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        report.expect(overflow <= 0, f"{overflow} pixels too wide at {width}")
        scrolled = page.eval_on_selector_all(".scroll:has(> .findings)", "all => all.some(s => s.scrollWidth > s.clientWidth)")
        report.expect(not scrolled, f"proofs are cut at {width}")
        cut = page.eval_on_selector_all("caption:not(.hidden)", "all => all.some(c => c.getBoundingClientRect().right > innerWidth)")
        report.expect(not cut, f"captions are cut at {width}")
        page.context.close()


def check_keyboard(report):
    page = report.open()
    page.keyboard.press("Tab")
    report.expect(page.evaluate("document.activeElement.className") == "skip", "the first stop is the skip link")
    seen = page.evaluate("getComputedStyle(document.activeElement).outlineStyle !== 'none' && document.activeElement.getBoundingClientRect().top >= 0")
    report.expect(seen, "the skip link is not seen where it has the focus")
    page.keyboard.press("Enter")
    report.expect(page.evaluate("document.activeElement.id") == "answer", "the skip link leads elsewhere")
    page.context.close()


def check_paper(report, pictures):
    """On paper only proofs that are open are there, and nothing that needs a screen."""
    page = report.open()
    page.evaluate("document.querySelectorAll('tbody.live details').forEach((d, i) => d.open = i < 1)")
    page.emulate_media(media="print")
    for selector in ("nav", ".controls", ".pager", "tbody.live:not(:has([open]))", ".timeline .live", ".finding:not(:has([open])) .proof"):
        for found in page.locator(selector).all()[:3]:
            report.expect(not found.is_visible(), f"{selector} is printed")
    for finding in page.locator("tbody.finding:not(.live) th").all()[:3] + page.locator("tbody.live [open] dl").all()[:1]:
        report.expect(finding.is_visible(), "a finding, or a proof that is open, is not printed")
    page.set_viewport_size({"width": A4, "height": 900})
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    report.expect(overflow <= 0, f"{overflow} pixels too wide for A4: Chromium would shrink the page")
    page.emulate_media(media=None)
    for paper in ("A4", "Letter"):
        if pictures:
            page.pdf(path=pictures / f"{report.path.stem}-{paper}.pdf", format=paper)
    page.context.close()


def take_pictures(report, pictures):
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            page = report.open(width, color_scheme=scheme)
            page.evaluate("document.querySelectorAll('tbody.live details').forEach((d, i) => d.open = i < 1)")
            page.screenshot(path=pictures / f"{report.path.stem}-{width}-{scheme}.png", full_page=True)
            page.context.close()


def modules(name="browser", of=HERE):
    """The packages from npm that a folder names."""
    def install(place):
        for file in ("package.json", "package-lock.json"):
            shutil.copy(of / file, place)
        call("npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", cwd=place, codes=(0,))
    return run.made(name, of / "package-lock.json", install) / "node_modules"


def axe_core():
    """The source of axe-core."""
    return (modules() / "axe-core/axe.min.js").read_text()


def launch(playwright, *more):
    """Chromium, which is installed where it is missing."""
    if not shutil.which("chromium"):
        call("apt-get", "update", "-q", codes=(0,))
        call("apt-get", "install", "-y", "-q", "chromium", codes=(0,))
    return playwright.chromium.launch(executable_path=shutil.which("chromium"), args=[*CHROMIUM, *more])


def firefox(url, field, cases, tally, tables=""):
    """What a page says of files that are dropped into its field in Firefox, and its tables; None: it is not here."""
    if not (path := shutil.which("firefox-esr") or shutil.which("firefox")):
        print("skipped: Firefox is not here")
        return None
    with folder() as work:
        shutil.copy(HERE / "firefox.mjs", work)
        (work / "node_modules").symlink_to(modules())
        given = json.dumps(cases, default=str)
        said = json.loads(call("node", "firefox.mjs", path, url, field, given, tables, cwd=work, codes=(0,)))
    tally.check(f"{said['version']}: no other request, no error", not said["problems"], said["problems"][:5] or "")
    return said


def main(*reports: pathlib.Path, pictures: pathlib.Path = None):
    from playwright.sync_api import sync_playwright

    axe, failed = axe_core(), 0
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    with folder() as made, sync_playwright() as playwright:
        if not reports:
            call("go", "run", "./scripts/check/browser", made, cwd=ROOT, codes=(0,))
            reports = sorted(made.glob("*.html"))
        browser = launch(playwright)
        Report(browser, reports[0]).open().context.close()  # the first opening starts processes
        for path in reports:
            report = Report(browser, path)
            opening = check_opening(report)
            for check in (check_structure, check_without_scripts, check_tables, check_links, check_policy, check_keyboard):
                check(report)
            check_accessibility(report, axe)
            check_paper(report, pictures)
            if pictures:
                take_pictures(report, pictures)
            failed += len(report.failures) > 0
            print(f"{'FAIL' if report.failures else 'ok  '} {path.name}: {opening}")
        browser.close()
    print(f"{len(reports) - failed} passed, {failed} failed")
    return failed
