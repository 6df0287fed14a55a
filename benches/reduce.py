#!/usr/bin/env python3
"""Compares `auspex reduce` with ddSMT and pydelta on scripts that a release of a solver gets wrong.

    benches/reduce.py BUGS --auspex target/release/auspex --peers VENV/bin [--ids a,b,c] [--out FOLDER]

BUGS is the folder of a campaign (run with --no-reduce), or a folder with INDEX.tsv (columns id, class,
theories, status, wrong_releases, origin, bytes, script) and scripts/. The peers come from the package index: pip install ddsmt==2.0.6 pydelta-smt.
Every reducer gets the same two programs: the accused release, and a trusted one that answers otherwise.
Each runs one check at a time. Counted are bytes, lines and nodes left, runs of solvers, and processor
seconds of the whole process tree. The result is a table, a JSON file and a plot (SVG).
"""
import argparse
import csv
import json
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bugs", type=pathlib.Path)
    parser.add_argument("--auspex", type=pathlib.Path, default=pathlib.Path("target/release/auspex"))
    parser.add_argument("--peers", type=pathlib.Path, help="folder of the programs ddsmt and pydelta")
    parser.add_argument("--trusted", default="z3@5.4.0")
    parser.add_argument("--ids", help="only these, separated by commas")
    parser.add_argument("--classes", default="wrong_unsat,wrong_sat")
    parser.add_argument("--most", type=int, default=10, help="how many bugs")
    parser.add_argument("--seconds", type=int, default=120, help="per reducer and bug")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("reduce-bench"))
    return parser.parse_args()


def rows(options):
    """The bugs to try: a script, its class and one release that is wrong."""
    wanted = options.ids.split(",") if options.ids else None
    classes = options.classes.split(",")
    if (options.bugs / "campaign.db").exists():
        return findings(options)[: options.most]
    chosen = []
    with open(options.bugs / "INDEX.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            wrong = row["wrong_releases"].split(";")[0]
            releases = re.findall(r"\b(z3|cvc5|cvc4)-([\d.]+)", wrong)
            usable = [(n, v) for n, v in releases if program(options, f"{n}@{v}")]
            if row["class"] not in classes or not usable:
                continue
            if wanted and row["id"] not in wanted:
                continue
            chosen.append((row["id"], row["class"], options.bugs / "scripts" / row["script"], usable[0]))
    chosen.sort(key=lambda row: wanted.index(row[0]) if wanted else 0)
    return chosen[: options.most]


def findings(options):
    """The findings of a campaign as they were found."""
    chosen = []
    for folder in sorted((options.bugs / "findings").iterdir()):
        finding = json.loads((folder / "finding.json").read_text())
        name, version = finding["accused"][0].split()[:2]
        if finding["class"].replace("-", "_") in options.classes.split(","):
            chosen.append((folder.name, finding["class"], folder / "script.smt2", (name, version)))
    return chosen


def program(options, solver):
    """The executable of an installed release, or nothing."""
    name, _, version = solver.partition("@")
    cache = os.environ.get("AUSPEX_CACHE") or os.path.expanduser("~/.cache/auspex")
    home = pathlib.Path(cache) / "solvers" / f"{name}-{version}"
    found = [path for path in (home / name, home / "usr" / "bin" / name) if path.exists()]
    # One that needs libraries beside it cannot be handed to the peers as a program.
    runs = [path for path in found if subprocess.run([path, "--version"], capture_output=True).returncode == 0]
    return runs[0] if runs else None


def counted(folder, name, command):
    """A program that does what the command does and adds a line to a file."""
    log, path = folder / f"{name}.calls", folder / name
    log.write_text("")
    path.write_text(f"#!/bin/sh\necho >> {shlex.quote(str(log))}\nexec {command} \"$@\"\n")
    path.chmod(0o755)
    return path, log


def nodes(text):
    """Tokens and lists, comments left out."""
    text = re.sub(r';[^\n]*', '', re.sub(r'"(?:[^"]|"")*"|\|[^|]*\|', 'A', text))
    return text.count("(") + len(re.findall(r"[^\s()]+", text))


def measured(command, seconds):
    """Runs a command with everything it starts, and says how long it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 30)
        output, ending = done.stdout + done.stderr, str(done.returncode)
    except subprocess.TimeoutExpired as error:
        output, ending = str(error.stdout or "") + str(error.stderr or ""), "killed"
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu": round(cpu, 2), "wall": round(wall, 2), "ending": ending, "output": output[-2000:]}


def with_result(result, path, calls, script):
    # A reducer that finds nothing to take away may write nothing.
    text = (path if path.exists() else script).read_text()
    lines = [line for line in text.splitlines() if line.strip()]
    result.update(bytes=len(text.encode()), lines=len(lines), nodes=nodes(text), calls=calls, text=text)
    return result


def auspex(options, folder, script, accused, seconds):
    out = folder / "auspex.smt2"
    command = [options.auspex, "reduce", script, "--solver", accused, "--trusted", options.trusted,
               "--out", out, "--budget", seconds]
    result = measured([str(word) for word in command], seconds)
    calls = re.search(r"(\d+) solver calls", result["output"])
    return with_result(result, out, int(calls[1]) if calls else 0, script)


def ddsmt(options, folder, script, accused, seconds):
    out = folder / "ddsmt.smt2"
    wrong, wrong_log = counted(folder, "dd-accused", program(options, accused))
    right, right_log = counted(folder, "dd-trusted", program(options, options.trusted))
    command = ["timeout", "-s", "INT", seconds, options.peers / "ddsmt", "-j", "1", "-c", right, script, out, wrong]
    result = measured([str(word) for word in command], seconds)
    calls = len(wrong_log.read_text()) + len(right_log.read_text())
    return with_result(result, out, calls, script)


def pydelta(options, folder, script, accused, seconds):
    """Has no cross check: one program runs both solvers."""
    out = folder / "pydelta.smt2"
    both = folder / "both"
    both.write_text(f"#!/bin/sh\n{program(options, accused)} \"$@\"\n{program(options, options.trusted)} \"$@\"\n")
    both.chmod(0o755)
    pair, log = counted(folder, "py-both", both)
    command = ["timeout", "-s", "INT", seconds, options.peers / "pydelta", "--max-threads", "1",
               "--outputfile", out, script, pair]
    result = measured([str(word) for word in command], seconds)
    return with_result(result, out, 2 * len(log.read_text()), script)


def table(results):
    print(f"{'bug':<34} {'reducer':<8} {'bytes':>6} {'lines':>5} {'nodes':>5} {'calls':>6} {'cpu s':>7}")
    for bug in results:
        for name, r in bug["reducers"].items():
            print(f"{bug['id'][:34]:<34} {name:<8} {r['bytes']:>6} {r['lines']:>5} {r['nodes']:>5} {r['calls']:>6} {r['cpu']:>7.2f}"
                  + ("" if r["ending"] in "01" else f"  ({r['ending']})"))


def plot(results, path):
    """One group of bars per bug: processor seconds (logarithmic) above, bytes left below."""
    import math
    colours = {"auspex": "#1b7837", "ddsmt": "#762a83", "pydelta": "#d9d9d9"}
    width, height, left = 46 * max(len(results), 4) + 80, 460, 60
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="10">']
    parts.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    panels = [("cpu", "processor seconds, logarithmic", 30, 150), ("bytes", "bytes left", 220, 120)]
    for key, title, top, size in panels:
        values = [r[key] for bug in results for r in bug["reducers"].values()] or [1]
        scale = (lambda v: math.log10(1 + 10 * v)) if key == "cpu" else (lambda v: v)
        largest = max(scale(v) for v in values) or 1
        parts.append(f'<text x="{left}" y="{top - 10}">{title} (most: {max(values)})</text>')
        parts.append(f'<line x1="{left}" y1="{top + size}" x2="{width - 10}" y2="{top + size}" stroke="black"/>')
        for at, bug in enumerate(results):
            for place, (name, r) in enumerate(bug["reducers"].items()):
                tall = size * scale(r[key]) / largest
                x = left + 46 * at + 13 * place
                parts.append(f'<rect x="{x}" y="{top + size - tall:.1f}" width="12" height="{tall:.1f}" fill="{colours[name]}"><title>{bug["id"]} {name}: {r[key]}</title></rect>')
    for at, bug in enumerate(results):
        x = left + 46 * at + 20
        parts.append(f'<text transform="translate({x},352) rotate(60)">{bug["id"][-16:]}</text>')
    for at, (name, colour) in enumerate(colours.items()):
        parts.append(f'<rect x="{left + 90 * at}" y="446" width="10" height="10" fill="{colour}"/><text x="{left + 14 + 90 * at}" y="455">{name}</text>')
    parts.append("</svg>")
    path.write_text("\n".join(parts))


def main():
    options = arguments()
    reducers = {"auspex": auspex}
    if options.peers:
        reducers.update(ddsmt=ddsmt, pydelta=pydelta)
    options.out.mkdir(parents=True, exist_ok=True)
    options.out = options.out.resolve()
    results = []
    for name, kind, script, (solver, version) in rows(options):
        folder = options.out / name
        folder.mkdir(exist_ok=True)
        bug = {"id": name, "class": kind, "accused": f"{solver}@{version}", "reducers": {}}
        for reducer, run in reducers.items():
            bug["reducers"][reducer] = run(options, folder, script.resolve(), bug["accused"], options.seconds)
        results.append(bug)
        print(f"{name} done", file=sys.stderr)
        (options.out / "results.json").write_text(json.dumps(results, indent=1))
    table(results)
    plot(results, options.out / "reduce.svg")


if __name__ == "__main__":
    main()
