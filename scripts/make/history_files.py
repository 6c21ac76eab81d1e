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


def wordpress(p):
    sitemap = "sitemap_index.xml" if p.edition % 2 else "wp-sitemap.xml"
    lines = group(["*"], "Disallow: /wp-admin/", "Allow: /wp-admin/admin-ajax.php", *added(p))
    return lines + ["", f"Sitemap: https://{p.host}/{sitemap}"]


def plugin(p):
    """A plugin of a content system: a group that forbids nothing, in a frame of comments."""
    rules = added(p) or ["Disallow:"]
    return ["# START OF THE PLUGIN'S BLOCK", *group(["*"], *rules), "", f"Sitemap: https://{p.host}/sitemap.xml", "# END OF THE BLOCK"]


def shop(p):
    paths = ["/admin", "/cart", "/orders", "/checkouts/", "/checkout", "/account", "/collections/*sort_by*", "/*/collections/*sort_by*",
             "/search", "/policies/", "/*?*variant="] + ["/recommendations/products", "/*/checkouts/", "/cdn/wpm/*.js"][: p.edition]
    lines = ["# made by the shop's platform", *group(["*"], *[f"Disallow: {path}" for path in paths], *added(p)),
             "", f"Sitemap: https://{p.host}/sitemap.xml",
             "", *group(["adsbot-google"], "Disallow: /checkouts/", "Disallow: /checkout", "Disallow: /orders"),
             "", *group(["Nutch"], "Disallow: /"),
             "", *group(["AhrefsBot"], "Crawl-delay: 10", "Disallow: /admin", "Disallow: /cart"),
             "", *group(["Pinterest"], "Crawl-delay: 1")]
    return lines


def news(p):
    lines = group(["*"], "Disallow: /search", "Disallow: /account/", "Disallow: /print/", "Disallow: /*?utm_", "Allow: /search/help", *added(p))
    return lines + ["", *group(["Amazonbot-News", "ia_archiver"], "Disallow: /archive/"), "",
                    f"Sitemap: https://{p.host}/sitemap-news.xml", f"Sitemap: https://{p.host}/sitemap.xml"]


def cms(p):
    paths = ["/core/", "/profiles/", "/README.txt", "/admin/", "/comment/reply/", "/node/add/", "/user/register", "/user/login", "/index.php/admin/"]
    return ["#", "# robots.txt", "#", "# The file must lie at the root of the host.", "#",
            *group(["*"], "Allow: /core/*.css$", "Allow: /core/*.js$", *[f"Disallow: {path}" for path in paths], *added(p))]


def portal(p):
    paths = ["/administrator/", "/bin/", "/cache/", "/cli/", "/components/", "/includes/", "/language/", "/logs/", "/tmp/"]
    return group(["*"], *[f"Disallow: {path}" for path in paths], *added(p))


def corporate(p):
    rules = added(p) or [["Disallow:"], ["Allow: /"], ["Disallow: /intern/"]][p.edition % 3]
    return group(["*"], *rules)


def forum(p):
    lines = group(["*"], "Disallow: /memberlist.php", "Disallow: /posting.php", "Disallow: /search.php", "Disallow: /ucp.php",
                  "Disallow: /*?sid=", *added(p))
    return lines + ["", *group(["MJ12bot", "AhrefsBot", "SemrushBot", "DotBot"], "Disallow: /")]


def office(p):
    return group(["*"], "Disallow: /search", "Disallow: /suche/", *added(p), "Request-rate: 1/5")


def empty(p):
    return added(p) and group(["*"], *added(p))


def closed(p):
    return ["# not public yet", *group(["*"], "Disallow: /")]


def listed(p):
    """An allow list: search engines, and nobody else."""
    return group(SEARCH, "Disallow:", *added(p)) + ["", *group(["*"], "Disallow: /")]


BASES = {f.__name__: f for f in (wordpress, plugin, shop, news, cms, portal, corporate, forum, office, empty, closed, listed)}


# ------------------------------------------------------------------ styles
# Each gives the parts of the file, from its base.


def each(p, base):
    return [base, *[group([agent], "Disallow: /") for agent in p.agents]]


def stacked(p, base):
    return [["# No use of our content for AI."] + group(p.agents, "Disallow: /"), base]


def partly(p, base):
    return [base, group(p.agents, "Disallow: /articles/", "Disallow: /premium/")]


def except_about(p, base):
    return [base, group(p.agents, "Disallow: /", "Allow: /about/")]


def homepage(p, base):
    return [base, group(p.agents, "Disallow: /", "Allow: /$")]


def star(p, base):
    return [base, group(p.agents, "Disallow: /*")]


def bare_star(p, base):
    return [base, group(p.agents, "Disallow: *")]


def twice(p, base):
    return [base, group(p.agents, "Disallow: /", "Disallow: /articles/", "Disallow: /*.pdf$")]


def queries(p, base):
    """Nothing but a rule about queries."""
    return [base, group(p.agents, "Disallow: /*?")]


def equal(p, base):
    """Allow and Disallow with one value: allow wins."""
    return [base, group(p.agents, "Disallow: /", "Allow: /")]


def welcome(p, base):
    return [base, group(p.agents, "Disallow:")]


def typo_agent(p, base):
    return [base, *[group([agent.replace("Bot", " Bot").replace("-", " ")], "Disallow: /") for agent in p.agents]]


def typo_rule(p, base):
    return [base, group(p.agents, "Dissallow: /")]


def typo_colon(p, base):
    return [base, group(p.agents, "Disallow /")]


def one_line(p, base):
    """All tokens in one line, which names nobody."""
    return [base, ["User-agent: " + ", ".join(p.agents), "Disallow: /"]]


def orphaned(p, base):
    """A comment and an empty line in a group, which end nothing."""
    return [base, group(p.agents, "# keep out", "", "Disallow: /")]


def blanket(p, base):
    return [group(SEARCH, "Disallow:"), ["# everybody else", *group(["*"], "Disallow: /")]]


def managed(p, base):
    """A network that answers for its customers writes its block before the site's file."""
    signal = ["# Signals on the use of this content", *group(["*"], "Content-Signal: search=yes,ai-train=no", "Allow: /")]
    return [signal, *[group([agent], "Disallow: /") for agent in p.agents], ["# END OF THE MANAGED BLOCK"], base]


def usage(p, base):
    return [group(["*"], "Content-Usage: train-ai=n"), base]


def licence(p, base):
    return [[f"License: https://{p.host}/license.xml"], base]


STYLES = {f.__name__: f for f in (each, stacked, partly, except_about, homepage, star, bare_star, twice, queries, equal, welcome, typo_agent,
                                  typo_rule, typo_colon, one_line, orphaned, blanket, managed, usage, licence)}
