"""Sums raw.csv up as Markdown: summary.py RAW FACTS. FACTS has lines name=value."""

import collections
import csv
import statistics
import sys

PEERS = {
    "robotsaudit": "internal/robots, rfc9309",
    "robotsaudit-google": "internal/robots, google",
    "google": "Google's C++",
    "grobotstxt": "grobotstxt",
    "temoto": "temoto",
}
MEASURES = {"parse": "parse, MB/s", "oneshot": "parse + one match, MB/s", "match": "matches, M/s"}
GOALS = {
    "parse": ("parse, MB/s, times Google's C++", 3),
    "oneshot": ("parse + one match, MB/s, times Google's C++", 1.5),
    "match": ("matches on a compiled group, M/s", 20),
}


def main():
    rates, allocations = collections.defaultdict(list), collections.defaultdict(list)
    with open(sys.argv[1], encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = row["peer"], row["measure"]
            rates[key].append(int(row["work"]) / float(row["nanoseconds"]) * 1000)
            allocations[key].append(int(row["allocations"]) / int(row["work"]))
    with open(sys.argv[2], encoding="utf-8") as file:
        facts = dict(line.rstrip("\n").split("=", 1) for line in file)
    rate = {key: statistics.median(values) for key, values in rates.items()}

    print("# robots.txt parsers on the wild bodies\n\n    scripts/bench/robots/run\n")
    print(f"Medians of {len(rates['google', 'parse'])} rounds after a warm-up, the programs taking turns, one core each,")
    print("in processor time (garbage collection included). raw.csv has every run.\n")
    print("| | " + " | ".join(MEASURES.values()) + " |\n|---|" + "---:|" * len(MEASURES))
    for peer, name in PEERS.items():
        print(f"| {name} | " + " | ".join(f"{rate[peer, m]:.3g}" for m in MEASURES) + " |")

    print("\nGoals. The ratio is the median of the ratios of each round, with the least and the most:\n")
    print("| | goal | rfc9309 | google |\n|---|---:|---:|---:|")
    for measure, (name, goal) in GOALS.items():
        print(f"| {name} | {goal} | " + " | ".join(against(rates, peer, measure) for peer in ("robotsaudit", "robotsaudit-google")) + " |")
    print("| allocations for a match | 0 | " + " | ".join(
        f"{statistics.median(allocations[peer, 'match']):.0f}" for peer in ("robotsaudit", "robotsaudit-google")) + " |")

    print(f"""
What is measured:

- parse: each body read once. Google's C++ and grobotstxt call a handler that touches its arguments and keeps nothing;
  internal/robots keeps the rules and groups, and makes notes when asked (not measured); temoto keeps rules, and rejects some bodies.
- parse + one match: each body read and asked one path for one token, as a crawler's first question is.
- matches: asked of `{facts['median']}`, which has the median number of rules of the bodies with rules. Google's C++ and
  grobotstxt have no compiled form and read the body again for each.

{facts['bodies']} (../shared/robots/wild-2019.tar.gz); about half of the octets are HTML documents.

- CPU: {facts['cpu']}
- Go: {facts['go']}, GOMAXPROCS=1
- C++: {facts['compiler']}, -O2 -DNDEBUG, abseil {facts['abseil']}; robots.cc of PyPI's jwm-robotstxt 1.0.8 (sdist), built by the script
- grobotstxt {facts['github.com/jimsmart/grobotstxt']}, temoto {facts['github.com/temoto/robotstxt']}""")


def against(rates, peer, measure):
    own = rates[peer, measure]
    if measure == "match":
        return f"{statistics.median(own):.1f} ({min(own):.1f} to {max(own):.1f})"
    ratios = [a / b for a, b in zip(own, rates["google", measure])]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


if __name__ == "__main__":
    main()
