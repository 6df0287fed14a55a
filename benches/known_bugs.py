#!/usr/bin/env python3
"""How many known bugs `auspex check` convicts, by class.

    benches/known_bugs.py FOLDER --auspex target/release/auspex [--json OUT] [--seconds N] [--only WORD]

FOLDER holds INDEX.tsv (id, class, theories, status, wrong releases, origin, bytes, script) and scripts/.
Each script is checked on one release that is known to be wrong, beside the newest z3 and cvc5.
A row is convicted if a bug verdict accuses the wrong release.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

WITNESSES = ["z3@5.4.0", "cvc5@1.4.2+plain"]


def rows(folder):
    lines = (folder / "INDEX.tsv").read_text().splitlines()
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:]]


def releases(row):
    """Wrong releases with how they are wrong: `wrong_unsat: z3-4.8.12 z3-4.8.10; crash: …`."""
    found = []
    for part in row["wrong_releases"].split(";"):
        kind, _, names = part.partition(":")
        found += [(kind.strip(), name) for name in re.split(r"[,\s]+", names.strip()) if name]
    return found


def usual(table):
    """How often each release is wrong: the fewer releases are installed, the better."""
    return collections.Counter(name for row in table for _, name in releases(row))


def spec(name):
    make, _, version = name.partition("-")
    return f"{make}@{version}"


def verdict(auspex, script, release, seconds):
    command = [auspex, "check", "--json", "--timeout", str(seconds), str(script)]
    for solver in [spec(release), *WITNESSES]:
        command += ["--solver", solver]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds * 20)
    if not done.stdout.strip():
        return "error", done.stderr.strip().splitlines()[-1:] or ["no output"]
    told = json.loads(done.stdout)
    own = release.replace("-", " ", 1)
    classes, sentences = [], []
    for query in told["queries"]:
        for one in query.get("verdicts", query.get("complaints", [])):
            if any(title == own or title.startswith(own + " ") for title in one["accused"]):
                classes.append(one["class"])
                sentences.append(one["why"])
    answers = [
        f'{one["solver"]}: {one["answer"]} {one["remark"]}'.strip()
        for query in told["queries"]
        for one in query["answers"]
    ]
    return classes, sentences or answers


BUGS = ["wrong-unsat", "wrong-sat", "invalid-model", "wrong-core", "self-contradiction", "crash"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--auspex", default="target/release/auspex")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--only", default="", help="rows whose id or releases hold this word")
    parser.add_argument("--every", type=int, default=1, help="one row in so many")
    args = parser.parse_args()
    table = [row for row in rows(args.folder) if args.only in row["id"] + row["wrong_releases"]][:: args.every]
    often = usual(table)
    counts = collections.defaultdict(collections.Counter)
    kept = []
    for number, row in enumerate(table):
        known = [one for one in releases(row) if one[0] == row["class"]] or releases(row)
        kind, release = max(known, key=lambda one: often[one[1]])
        try:
            classes, why = verdict(args.auspex, args.folder / "scripts" / row["script"], release, args.seconds)
        except subprocess.TimeoutExpired:
            classes, why = [], ["no end in time"]
        bugs = [one for one in BUGS if one in classes]
        outcome = bugs[0] if bugs else ("disagreement" if "disagreement" in classes else "none")
        outcome = "error" if classes == "error" else outcome
        counts[kind][outcome] += 1
        kept.append({"id": row["id"], "known": kind, "release": release, "verdict": outcome, "why": why})
        print(f"\r{number + 1}/{len(table)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    columns = [*BUGS, "disagreement", "none", "error"]
    print("| known as | scripts | convicted | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * (len(columns) + 2))
    for kind, found in sorted(counts.items()):
        convicted = sum(found[one] for one in BUGS)
        cells = [str(found[one]) for one in columns]
        print(f"| {kind} | {sum(found.values())} | {convicted} | " + " | ".join(cells) + " |")
    total = sum(sum(found.values()) for found in counts.values())
    convicted = sum(found[one] for found in counts.values() for one in BUGS)
    print(f"\n{convicted} of {total} convicted")
    if args.json:
        args.json.write_text(json.dumps(kept, indent=1))


if __name__ == "__main__":
    main()
