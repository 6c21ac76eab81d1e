"""Random pages whose metas are in the head, or not: as Chromium has it, with scripts and without, and as the program says.

A meta also binds in the head of the source, as docs/SIGNALS.md has it: there the order of the pieces of a page tells.
Pages have nothing that Chromium reads otherwise than the HTML standard: NUL in text, and <head> in a noscript of the head.
"""

import json
import random
from datetime import datetime, timezone

import lib
from lib import call, folder, iso, message, random_id, table

META = "<meta name=robots content='noindex, zzz%d'>"
HIDDEN = META % 999
PIECES = ["", "", "", "", "<html>", "<head>", "<head>", "</head>", "</head>", "<body>", "</body>", "</html>", "<!DOCTYPE html>", "<noscript>",
          "<noscript>", "</noscript>", "</noscript>", "<img>", "<iframe>%s</iframe>" % HIDDEN, "<template>", "</template>", "<p>", "</p>", "text", " \n",
          "&#32;", "&amp;", "<title>%s</title>" % HIDDEN, "<style>%s</style>" % HIDDEN, "<script>0</script>", "<script><!-- %s --></script>" % HIDDEN,
          "<link rel=x>", "<base>", "<!-- %s </head> -->" % HIDDEN, "<noframes>%s</noframes>" % HIDDEN, "<br>", "</br>", "<frameset>", "<bgsound>",
          "<textarea>%s</textarea>" % HIDDEN, "<foo>", "</foo>", "<svg></svg>", "<input type=hidden>", "<!x>", "</ x>", "<div title='</head>'>"]
SCRIPT = """
function find(doc) {
  const out = {}
  const look = (root, within) => {
    for (const m of root.querySelectorAll('meta'))
      out[m.content.split('zzz')[1]] = within || (doc.head && doc.head.contains(m) ? 'head' : 'body')
    for (const t of root.querySelectorAll('template')) look(t.content, 'template')
  }
  look(doc)
  return out
}
const found = PAGES.map((page) => {
  const frame = document.body.appendChild(document.createElement('iframe')), doc = frame.contentDocument
  doc.open(); doc.write(page); doc.close()
  const both = [find(new DOMParser().parseFromString(page, 'text/html')), find(doc)]
  frame.remove()
  return both
})
document.body.textContent = '@' + JSON.stringify(found) + '@'
"""
CHUNK = 500


def page(rng):
    """(the page, the metas in the head of its source without scripts, those with them)"""
    pieces = rng.choices(PIECES, k=rng.randint(2, 16))
    for i, piece in enumerate(pieces):
        if not piece or piece == "<head>" and "<noscript>" in pieces[:i]:
            pieces[i] = META % i
    return "".join(pieces), source(pieces, False), source(pieces, True)


def source(pieces, scripting):
    """The metas in the head of the source. A noscript element is text where scripts run."""
    since, state, text = set(), "before", False
    for i, piece in enumerate(pieces):
        text = scripting and (text or piece == "<noscript>") and piece != "</noscript>"
        if text:
            continue
        if piece == META % i:
            since.add(str(i))
        elif piece == "<head>" and state == "before":
            state, since = "within", set()
        elif piece == "</head>" or piece == "<body>":
            return since if piece == "</head>" or state == "within" else set()
    return set()


def chromium(pages):
    """[(places without scripts, places with them)] of the metas of pages"""
    out = []
    for i in range(0, len(pages), CHUNK):
        with folder() as work:
            data = json.dumps([text for text, *_ in pages[i:i + CHUNK]]).replace("</", "<\\/").replace("<!", "<\\u0021")
            (work / "x.html").write_text("<!DOCTYPE html><meta charset=utf-8><body><script>const PAGES = %s</script><script>%s</script>" % (data, SCRIPT))
            dom = call("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--user-data-dir=%s" % work, (work / "x.html").as_uri(), codes=(0,))
            out += json.loads(dom.split("@")[1])
    return out


def compare(program, count, seed):
    """compare returns how many pages the program reads otherwise."""
    rng, found = random.Random(seed), {}
    pages = [page(rng) for _ in range(count)]
    with folder() as work:
        with open(work / "x.warc", "wb") as f:
            for i, (text, *_) in enumerate(pages):
                f.write(lib.record("response", message("HTTP/1.1 200 OK", [("Content-Type", "text/html; charset=utf-8")], text.encode()), {
                    "WARC-Record-ID": random_id(rng), "WARC-Date": iso(datetime(2026, 1, 1, tzinfo=timezone.utc)),
                    "WARC-Target-URI": "http://h.example/%d" % i, "Content-Type": "application/http; msgtype=response"}))
        call(program, "audit", work / "x.warc", "-o", work / "out", "--quiet", codes=(0,))
        for r in table(work / "out", "page_tags", "url", "word", "in_head"):
            if r["in_head"] and r["word"].startswith("zzz"):
                found.setdefault(int(r["url"].rsplit("/", 1)[1]), set()).add(r["word"][3:])
    different = 0
    for i, ((text, *heads), places) in enumerate(zip(pages, chromium(pages), strict=True)):
        off, on = places  # a meta in a template binds nobody
        want = {m for m in off | on if "head" in (off.get(m), on.get(m)) or any(m in h and p.get(m) != "template" for h, p in zip(heads, places))}
        if found.get(i, set()) & (off.keys() | on.keys() | {"999"}) != want:  # a frameset drops metas
            different += 1
            print("page %d: %r\n  in the head %s, by the program %s; without scripts %s, with them %s" % (
                i, text, sorted(want), sorted(found.get(i, [])), off, on))
    print("%d pages, %d with metas in the head, %d differ from Chromium" % (count, len(found), different))
    return different
