"""robotsaudit-verify.html, opened from a disk in headless Chromium: it says of bundles what the native program says; it
names what was altered, sends nothing, and keeps to its policy; WCAG 2.2 A and AA. In Firefox it says the same.

    verifier BINARY [--page FILE] [--pictures FOLDER]

--page is the verifier; else it is made. Needs Go and npm, and installs Chromium (Debian's) where it is missing.
"""

import pathlib
import subprocess

import browser
import evidence
from lib import ARCHIVES, MEMORY, ROOT, Tally, call, folder, script

ENVIRONMENT = "requirements-browser.txt"
PROGRAM = 120_000  # milliseconds in which a verification ends


def altered(content, at):
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1:]


def make_files(binary, work):
    """Files to verify by name, and what the answer must name."""
    call(binary, "audit", "--quiet", "-o", work / "out", *ARCHIVES)
    call(binary, "evidence", work / "out", "--to", work / "bundle.warc.gz")
    bundle = (work / "bundle.warc.gz").read_bytes()
    date, lines, behind = evidence.read(work / "bundle.warc.gz")
    surer = [line.replace('"certainty":"probable"', '"certainty":"certain"') for line in lines]
    evidence.write(work / "forged.warc.gz", date, surer, behind)
    files = {
        "bundle.warc.gz": (bundle, "42 findings in this file are proven: 40 certain, 2 probable."),
        "Beweis für Müller, 证据 🔒.warc.gz": (bundle, "42 findings in this file are proven"),
        "report.html": ((work / "out/report.html").read_bytes(), "carries no proof: name its bundle, too"),
        "forged.warc.gz": ((work / "forged.warc.gz").read_bytes(), "40 of 42 findings in this file are proven"),
        "photo.png": ((ROOT / "docs/report.png").read_bytes(), "is no bundle"),
        "altered.warc.gz": (altered(bundle, len(bundle) // 2), "was changed"),
        "cut.warc.gz": (bundle[:-1000], "it ends before the end of record"),
        "short.warc.gz": (bundle[:1000], "it ends before the end of its manifest"),
        "more.warc.gz": (bundle + b"\n", "bytes stand after its"),
        "hostile.html": (b"<!DOCTYPE html>\n<img src=x onerror=alert(1)><script>alert(1)</script>", "carries no proof"),
        "archive.warc.gz": (ARCHIVES[0].read_bytes(), "is no bundle"),
        "empty.warc.gz": (b"", "is no bundle"),
    }
    for name, (content, _) in files.items():
        (work / name).write_bytes(content)
    return {name: part for name, (_, part) in files.items()}


def opened(chromium, verifier, problems, width=1280, **settings):
    context = chromium.new_context(viewport={"width": width, "height": 900}, **settings)
    page = context.new_page()
    url = verifier.as_uri()
    page.on("console", lambda m: problems.append(f"console {m.type}: {m.text}") if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: problems.append(f"error: {e}"))
    page.on("dialog", lambda d: (problems.append(f"an attack ran: {d.message}"), d.dismiss()))
    context.on("request", lambda r: problems.append(f"request: {r.url[:100]}") if r.url != url and not r.url.startswith("blob:") else None)
    context.set_offline(True)
    page.goto(url)
    page.wait_for_selector("#file:enabled")
    return page


def drop(page, *paths):
    page.set_input_files("#file", paths)
    page.wait_for_selector("#result:not([hidden])", timeout=PROGRAM)
    return [page.locator(part).text_content() for part in ("#message", "#details")]


def main(binary: pathlib.Path, *, page: pathlib.Path = None, pictures: pathlib.Path = None):
    from playwright.sync_api import sync_playwright

    tally, axe, binary, problems = Tally(), browser.axe_core(), binary.resolve(), []
    with folder(dir=MEMORY) as work, sync_playwright() as playwright:
        verifier = page.resolve() if page else work / "robotsaudit-verify.html"
        if not page:
            print(script("make", "verifier", verifier).strip(), flush=True)
        files = make_files(binary, work)
        chromium = browser.launch(playwright)
        shown, told = opened(chromium, verifier, problems), []
        for listing in ([], ["--full"]):
            shown.set_checked("#list", bool(listing))
            for name, part in files.items():
                told.append(drop(shown, work / name))
                said = told[-1][1]
                native = subprocess.run([binary, "verify", name, *listing], cwd=work, capture_output=True, text=True)
                tally.equal(f"{name} {listing}: what the native program says", said, native.stdout + native.stderr)
                tally.check(f"{name} {listing}: names {part!r}", part in said, said[:300] if part not in said else "")
                good = "good" in shown.locator("#message").get_attribute("class")
                tally.equal(f"{name} {listing}: verified", good, native.returncode == 0)
        for others, title, more in ((["report.html"], "42 findings in this file are proven.", "by name. Proven here: 42."),
                                    (["altered.warc.gz"], "altered.warc.gz is refused.", ""),
                                    (["Beweis für Müller, 证据 🔒.warc.gz", "forged.warc.gz"], "forged.warc.gz does not prove all", "")):
            message = drop(shown, work / "bundle.warc.gz", *(work / name for name in others))[0]
            tally.check(f"a bundle with {others}", message.startswith(title) and more in message, message)
        if said := browser.firefox(verifier.as_uri(), "#file", [[work / name] for name in files], tally):
            for name, here, there in zip(files, told, said["said"]):
                tally.check(f"{name}: Firefox shows the same", there == here, there if there != here else "")
        tally.check("no request, no violation of the policy, no error", not problems, problems[:5] or "")
        refused = shown.evaluate("fetch('http://127.0.0.2:9/').then(() => 'sent', () => 'refused')")
        tally.equal("a connection", refused, "refused")
        tally.check("by the policy", any("Content Security Policy" in problem for problem in problems), problems)
        for scheme, width in browser.VIEWS:
            shown = opened(chromium, verifier, [], width, color_scheme=scheme)
            shown.evaluate(axe)
            for state in ("start", "bundle.warc.gz", "altered.warc.gz"):
                if state in files:
                    drop(shown, work / state)
                result = shown.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})")
                found = [f"{v['id']}: {v['nodes'][0]['html'][:100]}" for v in result["violations"]]
                wider = shown.evaluate("document.documentElement.scrollWidth - innerWidth")
                tally.check(f"{state}, {scheme}, {width}: axe, width", not found and wider <= 0, found or wider or "")
                if pictures:
                    pictures.mkdir(parents=True, exist_ok=True)
                    shown.screenshot(path=pictures / f"verifier-{state}-{width}-{scheme}.png", full_page=True)
            shown.context.close()
        chromium.close()
    print(f"{tally.done - tally.failed} passed, {tally.failed} failed")
    return tally.failed
