"""The crawlers: how each is installed, and how each crawls the web of crawlers_web.py into archives."""

import contextlib
import functools
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

import crawlers_web as web

HERE = Path(__file__).resolve().parent / "crawlers"
PROXY = "127.0.0.1:8000"
CRAWL_SECONDS = 150
HERITRIX = "3.13.0"
PROFILE = "org/archive/crawler/restlet/profile-crawler-beans.cxml"  # in Heritrix's own archive

# Python 3.6 is the last that wpull 2 runs on; crau and scrapy-webarchive need an older Scrapy.
ENVIRONMENTS = {
    "audit": ("python3", ("warcio==1.8.1", "requests==2.34.2", "protego==0.7.0", "warcprox==2.13.1")),
    "scrapy": ("python3", ("scrapy==2.11.2", "twisted<24", "w3lib<2.2", "crau==0.3.3", "scrapy-webarchive==0.5.3",
                           "wacz==0.5.0", "frictionless==5.16.1", "typer==0.11.1")),
    "wpull": ("python3.6", ("wpull==2.0.1", "tornado<5", "sqlalchemy<1.4", "html5lib==0.9999999", "chardet<4", "yapsy<1.12")),
}


class Crawl(NamedTuple):
    """Crawl is one run: what the site's clock says at its start, and how fast that clock goes."""
    mode: str      # obey, ignore, suffix (ignores, as SUFFIX), dedup (Heritrix alone)
    moment: str
    speed: int = 1

    @property
    def obeys(self):
        return self.mode in ("obey", "dedup")

    @property
    def agent(self):
        return web.SUFFIX if self.mode == "suffix" else ""


CRAWLS = (Crawl("obey", "2025-03-03T09:00:00"), Crawl("ignore", "2025-03-05T09:00:00"), Crawl("suffix", "2025-03-23T12:00:00"))
DEDUP = Crawl("dedup", "2025-03-03T12:00:00", web.TURN_SECONDS // 10)  # a turn in ten seconds


class Crawler(NamedTuple):
    token: str              # what its robots.txt groups are found by
    environment: str        # of ENVIRONMENTS; "" for none
    package: str            # of Debian; "" for none
    proxied: bool           # warcprox records it
    run: callable           # run(tools, folder, seeds, crawl)
    crawls: tuple = CRAWLS


def python_tool(tools, environment, name):
    return tools / environment / "bin" / name


def call(command, folder, **environment):
    """call runs a crawler to its end, or ends it: a crawl cut short is an archive, too."""
    with open(folder / "output.txt", "ab") as output:
        process = subprocess.Popen([str(word) for word in command], cwd=folder, stdout=output, stderr=output, env=os.environ | environment)
        try:
            process.wait(CRAWL_SECONDS)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait(20)


@contextlib.contextmanager
def recorder(tools, folder):
    """recorder is a warcprox that writes to the folder while the block runs."""
    command = [python_tool(tools, "audit", "warcprox"), "--port", PROXY.partition(":")[2], "--gzip", "--dir", folder]
    with open(folder / "warcprox.txt", "wb") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output)
    try:
        for _ in range(100):
            time.sleep(0.2)
            if b"listening on" in (folder / "warcprox.txt").read_bytes():
                break
        else:
            raise RuntimeError("warcprox does not start")
        yield
    finally:
        process.terminate()
        process.wait(30)


def httrack(tools, folder, seeds, crawl):
    call(["httrack", "--list", seeds, "--quiet", "--path", folder / "mirror", "--depth=4", "--ext-depth=0", "--near",
          "--go-everywhere", "--disable-security-limits", "--max-rate=0", "--connection-per-second=50", "--sockets=4",
          "--retries=0", "--timeout=10", "--max-time=60", "--index=0", "--cache=0", f"--robots={2 if crawl.obeys else 0}",
          "--proxy", PROXY, *(("--user-agent", crawl.agent) if crawl.agent else ())], folder)
    shutil.rmtree(folder / "mirror", ignore_errors=True)


def wget(tools, folder, seeds, crawl):
    call(["wget", "--no-config", "--recursive", "--level=3", "--span-hosts", "--input-file", seeds, "--warc-file=wget",
          "--no-hsts", "--tries=1", "--timeout=10", "--delete-after", "--execute", f"robots={'on' if crawl.obeys else 'off'}",
          *(("--user-agent", crawl.agent) if crawl.agent else ())], folder)


def curl(tools, folder, seeds, crawl):
    """curl fetches from a list, some URLs at a time, and follows neither links nor redirects."""
    urls = folder / "urls.txt"
    urls.write_text("".join(f'url = "{url}"\noutput = "/dev/null"\n' for url in [*seeds.read_text().split(), *web.list_of_urls()]))
    call(["curl", "--disable", "--silent", "--parallel", "--parallel-immediate", "--parallel-max", "6", "--max-time", "20",
          "--proxy", f"http://{PROXY}", "--config", urls, *(("--user-agent", crawl.agent) if crawl.agent else ())], folder)


def wget2(tools, folder, seeds, crawl):
    call(["wget2", "--no-config", "--recursive", "--level=3", "--span-hosts", "--input-file", seeds, f"--http-proxy={PROXY}",
          "--no-hsts", "--tries=1", "--timeout=10", "--directory-prefix", folder / "mirror", "--max-threads=2",
          f"--robots={'on' if crawl.obeys else 'off'}", *(("--user-agent", crawl.agent) if crawl.agent else ())], folder)
    shutil.rmtree(folder / "mirror", ignore_errors=True)


def scrapy(tools, folder, seeds, crawl, *settings, **environment):
    settings = (f"ROBOTSTXT_OBEY={crawl.obeys}", *((f"USER_AGENT={crawl.agent}",) if crawl.agent else ()), *settings)
    call([python_tool(tools, "scrapy", "scrapy"), "runspider", HERE / "spider.py", "-a", f"seeds={seeds}",
          *(word for setting in settings for word in ("-s", setting))], folder, **environment)


def scrapy_webarchive(tools, folder, seeds, crawl):
    scrapy(tools, folder, seeds, crawl, f"SW_EXPORT_URI={folder}/", 'EXTENSIONS={"scrapy_webarchive.extensions.WaczExporter": 543}')
    if list(folder.glob("*.wacz")):
        for path in folder.glob("*.warc.gz"):  # the WACZ holds it
            path.unlink()


def crau(tools, folder, seeds, crawl):
    settings = ("-s", f"ROBOTSTXT_OBEY={crawl.obeys}", "-s", "RETRY_ENABLED=False")
    call([python_tool(tools, "scrapy", "crau"), "archive", "--max-depth=2", "--input-filename", seeds, *settings,
          *(("--user-agent", crawl.agent) if crawl.agent else ()), "crau.warc.gz"], folder)


def wpull(tools, folder, seeds, crawl):
    call([python_tool(tools, "wpull", "wpull"), "--input-file", seeds, "--recursive", "--level=3", "--span-hosts",
          "--warc-file=wpull", "--tries=1", "--timeout=10", "--delete-after", "--no-skip-getaddrinfo", "--concurrent=2",
          *(() if crawl.obeys else ("--no-robots",)), *(("--user-agent", crawl.agent) if crawl.agent else ())],
         folder, LC_ALL="C.UTF-8")


def warcio(tools, folder, seeds, crawl):
    call([python_tool(tools, "audit", "python"), HERE / "fetcher.py", "warcio.warc.gz", seeds,
          *(("--obey",) if crawl.obeys else ()), *(("--agent", crawl.agent) if crawl.agent else ())], folder)


def bean(name, kind):
    return f'<bean id="{name}" class="org.archive.modules.{kind}"/>'


def heritrix_job(home, seeds, crawl):
    """heritrix_job is the profile that Heritrix ships, made fast, patient and, for dedup, with both deduplicators."""
    with zipfile.ZipFile(home / "lib" / f"heritrix-engine-{HERITRIX}.jar") as jar:
        beans = jar.read(PROFILE).decode()
    overrides = {
        "metadata.operatorContactUrl": web.CONTACT, "metadata.jobName": "crawl",
        "metadata.robotsPolicyName": "obey" if crawl.obeys else "ignore", "fetchDns.acceptNonDnsResolves": "true",
        "disposition.delayFactor": "0", "disposition.minDelayMs": "20", "disposition.respectCrawlDelayUpToSeconds": "0",
        "frontier.maxRetries": "6", "frontier.retryDelaySeconds": "1", "crawlLimiter.maxTimeSeconds": "70",
        "fetchHttp.useHTTP11": "true", "fetchHttp.soTimeoutMs": "5000",
    }
    if crawl.agent:
        overrides["metadata.userAgentTemplate"] = crawl.agent.replace(web.CONTACT, "@OPERATOR_CONTACT_URL@")
    if crawl.mode == "dedup":
        # robots.txt is asked for again, and whatever came before is a revisit: by URL, and by digest.
        overrides |= {"preconditions.robotsValidityDurationSeconds": "5", "disposition.minDelayMs": "2000"}
        made = [bean("persistLoad", "recrawl.PersistLoadProcessor"), bean("persistStore", "recrawl.PersistStoreProcessor"),
                bean("fetchHistory", "recrawl.FetchHistoryProcessor"), bean("digests", "recrawl.BdbContentDigestHistory"),
                bean("digestLoad", "recrawl.ContentDigestHistoryLoader"), bean("digestStore", "recrawl.ContentDigestHistoryStorer")]
        beans = beans.replace("<!-- FETCH CHAIN -->", "\n".join(made), 1)
        beans = beans.replace('<ref bean="fetchDns"/>', '<ref bean="persistLoad"/>\n<ref bean="fetchDns"/>', 1)
        beans = beans.replace('<ref bean="extractorHttp"/>', '<ref bean="fetchHistory"/>\n<ref bean="digestLoad"/>\n<ref bean="extractorHttp"/>', 1)
        beans = beans.replace('<ref bean="warcWriter"/>', '<ref bean="warcWriter"/>\n<ref bean="digestStore"/>\n<ref bean="persistStore"/>', 1)
    lines = "\n".join(f"{name}={value}" for name, value in overrides.items())
    beans = re.sub(r"metadata\.operatorContactUrl=.*\n.*\n.*\n", lambda _: lines + "\n", beans, count=1)
    return beans.replace("http://example.example/example", seeds.read_text(), 1)


def heritrix(tools, folder, seeds, crawl):
    home = tools / f"heritrix-{HERITRIX}"
    job = folder / "jobs" / "crawl"
    job.mkdir(parents=True)
    (job / "crawler-beans.cxml").write_text(heritrix_job(home, seeds, crawl))
    call(["java", "-Xmx512m", f"-Dheritrix.home={home}", "-cp", f"{home}/lib/*", "org.archive.crawler.Heritrix",
          "--web-admin", "admin:admin", "--jobs-dir", folder / "jobs", "--run-job", "crawl"], folder)
    for path in (*job.rglob("*.warc.gz*"), *job.rglob("crawl.log")):
        path.rename(folder / path.name.removesuffix(".open"))
    shutil.rmtree(folder / "jobs")


CRAWLERS = {
    "wget": Crawler("Wget", "audit", "wget", False, wget),
    "httrack": Crawler("HTTrack", "audit", "httrack", True, httrack),
    "wget2": Crawler("wget2", "audit", "wget2", True, wget2),
    "curl": Crawler("curl", "audit", "curl", True, curl, CRAWLS[1:]),
    "scrapy": Crawler("Scrapy", "scrapy", "", True, functools.partial(scrapy, http_proxy=f"http://{PROXY}")),
    "scrapy-webarchive": Crawler("Scrapy", "scrapy", "", False, scrapy_webarchive),
    "crau": Crawler("crau", "scrapy", "", False, crau),
    "wpull": Crawler("Wpull", "wpull", "", False, wpull),
    "warcio": Crawler("python-requests", "audit", "", False, warcio),
    "heritrix": Crawler("heritrix", "", "", False, heritrix, (*CRAWLS, DEDUP)),
}


def find_python(name):
    """find_python gives a Python of that name that runs: the system's, or pyenv's."""
    version = name.removeprefix("python")
    for python in (shutil.which(name), *Path.home().glob(f".pyenv/versions/{version}*/bin/python")):
        if python and not subprocess.run([python, "--version"], capture_output=True).returncode:
            return python
    raise OSError(f"no {name}")


def make_environment(tools, name):
    """make_environment makes a Python environment, unless it is there."""
    if (tools / name / "complete").exists():
        return
    python, requirements = ENVIRONMENTS[name]
    subprocess.run([find_python(python), "-m", "venv", tools / name], check=True)
    subprocess.run([tools / name / "bin" / "python", "-m", "pip", "install", "-qq", "--disable-pip-version-check",
                    *requirements], check=True)
    (tools / name / "complete").touch()


def install(tools, name):
    """install fetches what the crawler needs; it raises where that cannot be had."""
    crawler = CRAWLERS[name]
    for environment in filter(None, dict.fromkeys(("audit", crawler.environment))):
        make_environment(tools, environment)
    if crawler.package and not shutil.which(crawler.package):
        subprocess.run(["apt-get", "install", "--yes", "--quiet", "--no-install-recommends", crawler.package],
                       check=True, stdout=sys.stderr)
    if name == "heritrix" and not (tools / f"heritrix-{HERITRIX}").exists():
        for tool in ("java", "mvn"):
            if not shutil.which(tool):
                raise OSError(f"no {tool}")
        subprocess.run(["mvn", "--quiet", "--batch-mode", "dependency:copy", f"-DoutputDirectory={tools}",
                        f"-Dartifact=org.archive.heritrix:heritrix:{HERITRIX}:zip:dist"], check=True)
        with zipfile.ZipFile(tools / f"heritrix-{HERITRIX}-dist.zip") as archive:
            archive.extractall(tools)
