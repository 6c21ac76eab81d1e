"""Iterates over archives: iterate.py fastwarc|warcio FILE... The output is the number of records."""

import sys


def fastwarc(path):
    from fastwarc.warc import ArchiveIterator

    with open(path, "rb") as file:
        return sum(1 for _ in ArchiveIterator(file, parse_http=False))


def warcio(path):
    from warcio.archiveiterator import ArchiveIterator

    records = 0
    with open(path, "rb") as file:
        for record in ArchiveIterator(file):
            record.content_stream().read()
            records += 1
    return records


if __name__ == "__main__":
    print(sum({"fastwarc": fastwarc, "warcio": warcio}[sys.argv[1]](path) for path in sys.argv[2:]))
