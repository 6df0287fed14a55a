#!/usr/bin/env python3
"""How many known bugs `auspex check` convicts, by class.

    benches/known_bugs.py FOLDER --auspex target/release/auspex [--json OUT] [--seconds N] [--jobs N] [--skip MAKE]

FOLDER holds INDEX.tsv (id, class, theories, status, wrong releases, origin, bytes, script) and scripts/.
Each script is checked on one release that is known to be wrong, beside the newest z3 and cvc5.
A row is convicted if a bug verdict accuses the wrong release.
"""

import argparse
import collections
import concurrent.futures
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
    """Without the safe mode that Auspex asks newer cvc5 for: the index was made without it."""
    make, _, version = name.partition("-")
    safe = make == "cvc5" and [int(part) for part in version.split(".")] >= [1, 3]
    return f"{make}@{version}" + ("+plain" if safe else "")


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


def tried(row, often):
    """How the script is known to be wrong, and the release that is tried."""
    known = [one for one in releases(row) if one[0] == row["class"]] or releases(row)
    return max(known, key=lambda one: often[one[1]])


def judged(args, row, often):
    """A row with the release that was tried, the class that `auspex check` gave it, and why."""
    kind, release = tried(row, often)
    try:
        classes, why = verdict(args.auspex, args.folder / "scripts" / row["script"], release, args.seconds)
    except subprocess.TimeoutExpired:
        classes, why = [], ["no end in time"]
    bugs = [one for one in BUGS if one in classes]
    outcome = bugs[0] if bugs else ("disagreement" if "disagreement" in classes else "none")
    outcome = "error" if classes == "error" else outcome
    return {"id": row["id"], "known": kind, "release": release, "verdict": outcome, "why": why}


def tell(kept):
    counts = collections.defaultdict(collections.Counter)
    for one in kept:
        counts[one["known"]][one["verdict"]] += 1
    columns = [*BUGS, "disagreement", "none", "error"]
    print("| known as | scripts | convicted | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * (len(columns) + 2))
    for kind, found in sorted(counts.items()):
        convicted = sum(found[one] for one in BUGS)
        cells = [str(found[one]) for one in columns]
        print(f"| {kind} | {sum(found.values())} | {convicted} | " + " | ".join(cells) + " |")
    convicted = sum(one["verdict"] in BUGS for one in kept)
    print(f"\n{convicted} of {len(kept)} convicted")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--auspex", default="target/release/auspex")
    parser.add_argument("--json", type=pathlib.Path, help="every row with its verdict, written as they come")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--only", default="", help="rows whose id or releases hold this word")
    parser.add_argument("--every", type=int, default=1, help="one row in so many")
    parser.add_argument("--jobs", type=int, default=1, help="how many scripts at once")
    parser.add_argument("--skip", action="append", default=[], help="a solver whose rows are left out, such as z3rs")
    args = parser.parse_args()
    table = [row for row in rows(args.folder) if args.only in row["id"] + row["wrong_releases"]]
    often = usual(table)
    table = [row for row in table if tried(row, often)[1].partition("-")[0] not in args.skip][:: args.every]
    kept = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for one in pool.map(lambda row: judged(args, row, often), table):
            kept.append(one)
            print(f"\r{len(kept)}/{len(table)}", end="", file=sys.stderr, flush=True)
            if args.json:
                args.json.write_text(json.dumps(kept, indent=1))
    print(file=sys.stderr)
    tell(kept)


if __name__ == "__main__":
    main()
