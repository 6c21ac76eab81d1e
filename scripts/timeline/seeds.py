"""The command line of programs that compare random archives, one seed after the other."""

import argparse
import collections
import sys


def main(doc, made, scenarios, compare, summary):
    """Calls compare(binary, seed, scenarios, keep, totals) for each; made says of what, in the plural."""
    arguments = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("binary")
    arguments.add_argument("count", type=int, nargs="?", default=8, metavar=made.upper())
    arguments.add_argument("seed", type=int, nargs="?", default=1, help="of the first")
    arguments.add_argument("--scenarios", type=int, default=scenarios, help="origins in each")
    arguments.add_argument("--keep", metavar="DIR", help="keep here what differs")
    args = arguments.parse_args()
    totals = collections.Counter()
    for seed in range(args.seed, args.seed + args.count):
        compare(args.binary, seed, args.scenarios, args.keep, totals)
    print(summary.format_map(totals))
    sys.exit(totals["problems"] > 0)
