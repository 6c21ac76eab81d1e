"""robots.txt files as sites have them: what content systems ship, and what people add.

A file is a base, which the kind of the site gives, and a section about AI crawlers, which its style gives. Bases and
styles are written after the habits of real files; none is a copy.
"""

import dataclasses

# When each token became known, by month from January 2021: no file names one before.
KNOWN = {"CCBot": 0, "anthropic-ai": 31, "GPTBot": 31, "Amazonbot": 30, "Bytespider": 32, "Google-Extended": 33,
    "PerplexityBot": 35, "ClaudeBot": 38, "Applebot-Extended": 41, "Meta-ExternalAgent": 43, "OAI-SearchBot": 43}

SEARCH = ["Googlebot", "bingbot", "DuckDuckBot"]


@dataclasses.dataclass
class Policy:
    """What a site has decided to say; text() writes it."""

    host: str
    kind: str
    style: str | None = None  # of the section about AI; None: there is none
    agents: list = dataclasses.field(default_factory=list)  # that it names
    extra: list = dataclasses.field(default_factory=list)  # paths that people added
    delay: str | None = None
    edition: int = 0  # of what the content system ships
    stamped: bool = False  # a plugin writes the day into the file
    ends: str = "\n"
    mark: bool = False  # a byte order mark

    def text(self, day):
        parts = [BASES[self.kind](self)]
        if self.style:
            parts = STYLES[self.style](self, parts[0])
        if self.stamped:
            parts.append([f"# generated on {day:%Y-%m-%d}"])
        lines = "\n\n".join("\n".join(part) for part in parts if part) + "\n"
        return (b"\xef\xbb\xbf" if self.mark else b"") + lines.replace("\n", self.ends).encode()


# ------------------------------------------------------------------- bases


def group(agents, *rules):
    return [f"User-agent: {agent}" for agent in agents] + list(rules)


def added(policy):
    lines = [f"Crawl-delay: {policy.delay}"] if policy.delay else []
    return lines + [f"Disallow: {path}" for path in policy.extra]


def forbidden(paths):
    return [f"Disallow: {path}" for path in paths.split()]


def shop(p):
    paths = "/admin /cart /orders /checkouts/ /checkout /account /collections/*sort_by* /*/collections/*sort_by* /search /policies/" \
        " /*?*variant="
    more = ["/recommendations/products", "/*/checkouts/", "/cdn/wpm/*.js"][: p.edition]
    return ["# made by the shop's platform", *group(["*"], *forbidden(paths), *forbidden(" ".join(more)), *added(p)),
            "", f"Sitemap: https://{p.host}/sitemap.xml",
            "", *group(["adsbot-google"], *forbidden("/checkouts/ /checkout /orders")),
            "", *group(["Nutch"], "Disallow: /"),
            "", *group(["AhrefsBot"], "Crawl-delay: 10", *forbidden("/admin /cart")),
            "", *group(["Pinterest"], "Crawl-delay: 1")]


BASES = {
    "wordpress": lambda p: [*group(["*"], "Disallow: /wp-admin/", "Allow: /wp-admin/admin-ajax.php", *added(p)), "",
                            f"Sitemap: https://{p.host}/{'sitemap_index.xml' if p.edition % 2 else 'wp-sitemap.xml'}"],
    # A plugin of a content system: a group that forbids nothing, in a frame of comments.
    "plugin": lambda p: ["# START OF THE PLUGIN'S BLOCK", *group(["*"], *added(p) or ["Disallow:"]), "",
                         f"Sitemap: https://{p.host}/sitemap.xml", "# END OF THE BLOCK"],
    "shop": shop,
    "news": lambda p: [*group(["*"], *forbidden("/search /account/ /print/ /*?utm_"), "Allow: /search/help", *added(p)), "",
                       *group(["Amazonbot-News", "ia_archiver"], "Disallow: /archive/"), "",
                       f"Sitemap: https://{p.host}/sitemap-news.xml", f"Sitemap: https://{p.host}/sitemap.xml"],
    "cms": lambda p: ["#", "# robots.txt", "#", "# The file must lie at the root of the host.", "#", *group(
        ["*"], "Allow: /core/*.css$", "Allow: /core/*.js$",
        *forbidden("/core/ /profiles/ /README.txt /admin/ /comment/reply/ /node/add/ /user/register /user/login /index.php/admin/"),
        *added(p))],
    "portal": lambda p: group(
        ["*"], *forbidden("/administrator/ /bin/ /cache/ /cli/ /components/ /includes/ /language/ /logs/ /tmp/"), *added(p)),
    "corporate": lambda p: group(["*"], *added(p) or [["Disallow:"], ["Allow: /"], ["Disallow: /intern/"]][p.edition % 3]),
    "forum": lambda p: [*group(["*"], *forbidden("/memberlist.php /posting.php /search.php /ucp.php /*?sid="), *added(p)), "",
                        *group(["MJ12bot", "AhrefsBot", "SemrushBot", "DotBot"], "Disallow: /")],
    "office": lambda p: group(["*"], *forbidden("/search /suche/"), *added(p), "Request-rate: 1/5"),
    "empty": lambda p: added(p) and group(["*"], *added(p)),
    "closed": lambda p: ["# not public yet", *group(["*"], "Disallow: /")],
    # An allow list: search engines, and nobody else.
    "listed": lambda p: [*group(SEARCH, "Disallow:", *added(p)), "", *group(["*"], "Disallow: /")],
}

# ------------------------------------------------------------------ styles

# The rules of a group for all agents that a site names, behind its base.
RULES = {
    "partly": forbidden("/articles/ /premium/"), "except_about": ["Disallow: /", "Allow: /about/"],
    "homepage": ["Disallow: /", "Allow: /$"], "star": ["Disallow: /*"], "bare_star": ["Disallow: *"],
    "twice": forbidden("/ /articles/ /*.pdf$"),
    "queries": ["Disallow: /*?"],  # nothing but a rule about queries
    "equal": ["Disallow: /", "Allow: /"],  # allow wins
    "welcome": ["Disallow:"], "typo_rule": ["Dissallow: /"], "typo_colon": ["Disallow /"],
    "orphaned": ["# keep out", "", "Disallow: /"],  # a comment and an empty line in a group, which end nothing
}
# Each style gives the parts of the file, from its base.
STYLES = {name: lambda p, base, rules=rules: [base, group(p.agents, *rules)] for name, rules in RULES.items()} | {
    "each": lambda p, base: [base, *[group([agent], "Disallow: /") for agent in p.agents]],
    "stacked": lambda p, base: [["# No use of our content for AI."] + group(p.agents, "Disallow: /"), base],
    "typo_agent": lambda p, base: [base, *[group([agent.replace("Bot", " Bot").replace("-", " ")], "Disallow: /") for agent in p.agents]],
    "one_line": lambda p, base: [base, ["User-agent: " + ", ".join(p.agents), "Disallow: /"]],  # which names nobody
    "blanket": lambda p, base: [group(SEARCH, "Disallow:"), ["# everybody else", *group(["*"], "Disallow: /")]],
    # A network that answers for its customers writes its block before the site's file.
    "managed": lambda p, base: [["# Signals on the use of this content",
                                 *group(["*"], "Content-Signal: search=yes,ai-train=no", "Allow: /")],
                                *[group([agent], "Disallow: /") for agent in p.agents], ["# END OF THE MANAGED BLOCK"], base],
    "usage": lambda p, base: [group(["*"], "Content-Usage: train-ai=n"), base],
    "licence": lambda p, base: [[f"License: https://{p.host}/license.xml"], base],
}
