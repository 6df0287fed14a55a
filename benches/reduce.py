#!/usr/bin/env python3
"""Compares `auspex reduce` with ddSMT and pydelta on scripts that a release of a solver gets wrong.

    benches/reduce.py BUGS --auspex target/release/auspex --peers VENV/bin [--ids a,b,c] [--out FOLDER]

BUGS is the folder of a campaign (run with --no-reduce), or a folder with INDEX.tsv (columns id, class,
theories, status, wrong_releases, origin, bytes, script) and scripts/. The peers come from the package index: pip install ddsmt==2.0.6 pydelta-smt.
Every reducer gets the same programs. For wrong answers these are the accused release and a trusted one that
answers otherwise; for crashes and invalid models the accused alone, and the peers keep its exit code, or its
own complaint (z3 with model_validate=true), as their manuals say. Each runs one check at a time. Counted are
bytes, lines and nodes left, runs of solvers, and processor seconds of the whole process tree. The result is a
table, a JSON file and a plot (SVG). What FOLDER has already is not run again unless --again names the reducer.
"""
import argparse
import csv
import ctypes
import json
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
from itertools import zip_longest

from processes import program, spent_by


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bugs", type=pathlib.Path)
    parser.add_argument("--auspex", type=pathlib.Path, default=pathlib.Path("target/release/auspex"))
    parser.add_argument("--peers", type=pathlib.Path, help="folder of the programs ddsmt and pydelta")
    parser.add_argument("--trusted", default="z3@5.4.0")
    parser.add_argument("--ids", help="only these, separated by commas")
    parser.add_argument("--classes", default="wrong_unsat,wrong_sat")
    parser.add_argument("--most", type=int, default=10, help="how many bugs of each class (of a campaign: in all), evenly spaced over the list")
    parser.add_argument("--seconds", type=int, default=120, help="of processor time, per reducer and bug")
    parser.add_argument("--again", default="", help="reducers to run again, separated by commas")
    parser.add_argument("--only", default="auspex,ddsmt,pydelta", help="reducers to run, separated by commas")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("reduce-bench"))
    return parser.parse_args()


def rows(options):
    """The bugs to try: a script, its class and one release that is wrong."""
    if (options.bugs / "campaign.db").exists():
        return spread([bug for bug in findings(options) if remembered(options, *bug[1:3], "@".join(bug[3]))], options.most)
    wanted = options.ids.split(",") if options.ids else None
    classes = {name: [] for name in options.classes.split(",")}
    with open(options.bugs / "INDEX.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["class"] not in classes or wanted and row["id"] not in wanted:
                continue
            wrong = row["wrong_releases"].split(";")[0]
            releases = re.findall(r"\b(z3|cvc5|cvc4)-([\d.]+)", wrong)
            usable = [(n, v) for n, v in releases if program(f"{n}@{v}")]
            script = options.bugs / "scripts" / row["script"]
            if usable and (wanted or remembered(options, row["class"], script, "@".join(usable[0]))):
                classes[row["class"]].append((row["id"], row["class"], script, usable[0]))
    return [bug for bugs in zip_longest(*map(lambda all: spread(all, options.most), classes.values())) for bug in bugs if bug]


def spread(bugs, most):
    """So many of a list, evenly spaced."""
    return [bugs[at * len(bugs) // most] for at in range(most)] if len(bugs) > most else bugs


def remembered(options, kind, script, accused):
    """Whether the bug shows, asked once for a folder."""
    note = options.out / "shows.json"
    known = json.loads(note.read_text()) if note.exists() else {}
    key = f"{accused} {script.parent.name}/{script.name}"
    if key not in known:
        known[key] = bool(shows(options, kind, script, accused))
        note.write_text(json.dumps(known, indent=1))
    return known[key]


def run(options, solver, script, *more):
    """What a release does with a script in three seconds of processor time."""
    return subprocess.run(["sh", "-c", 'ulimit -t 3; exec "$@"', "sh", program(solver), *more, script],
                          capture_output=True, text=True, errors="replace", timeout=60)


def shows(options, kind, script, accused):
    """Whether the bug can be seen here as the peers look for it."""
    done = run(options, accused, script, *arguments_of(kind, accused))
    if kind == "crash":
        # A script with a wrong :status makes CVC4 and cvc5 abort by design.
        return done.returncode not in (0, 1, -9, -24) and "Expected result" not in done.stderr
    if kind == "invalid_model":
        return any(words in done.stdout + done.stderr for words in COMPLAINTS)
    words = [word for word in run(options, options.trusted, script).stdout.split() if word in ("sat", "unsat")]
    return done.returncode == 0 and words and words != [word for word in done.stdout.split() if word in ("sat", "unsat", "unknown")]


COMPLAINTS = ["an invalid model was generated", "ERRORS SATISFYING ASSERTIONS"]


def arguments_of(kind, accused):
    """Solvers look at their own models if they are told to."""
    if kind != "invalid_model":
        return []
    return ["model_validate=true"] if accused.startswith("z3@") else ["--check-models"]


def sign(options, kind, script, accused):
    """What peers are told to look for in the output of a solver that runs alone; else the exit code counts."""
    done = run(options, accused, script, *arguments_of(kind, accused))
    place = re.search(r" at (\./src/\S+:\d+)", done.stderr)
    if kind == "invalid_model":
        return next((["--match-out" if words in done.stdout else "--match-err", words] for words in COMPLAINTS
                     if words in done.stdout + done.stderr), [])
    return ["--match-err", place[1]] if place else ["--ignore-output"]


def findings(options):
    """The findings of a campaign as they were found."""
    chosen = []
    for folder in sorted((options.bugs / "findings").iterdir()):
        finding = json.loads((folder / "finding.json").read_text())
        name, version = finding["accused"][0].split()[:2]
        kind = finding["class"].replace("-", "_")
        if kind in options.classes.split(",") and program(f"{name}@{version}"):
            chosen.append((folder.name, kind, folder / "script.smt2", (name, version)))
    return chosen


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
    """Runs a command with everything it starts, for so many seconds of processor time, and says what it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             errors="replace", start_new_session=True)
    ending, out, err = "", "", ""
    while not ending:
        try:
            out, err = child.communicate(timeout=0.5)
            ending = ending or str(child.returncode)
        except subprocess.TimeoutExpired:
            if spent_by(child.pid) > seconds or time.monotonic() - start > 20 * seconds:
                ending = "stopped"
                os.killpg(child.pid, signal.SIGINT)
    wall = time.monotonic() - start
    if ending == "stopped":
        try:
            out, err = child.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            pass
    # Whatever is left of it belongs to us now (see main), and is ended and counted.
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()
    while reap():
        pass
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu": round(cpu, 2), "wall": round(wall, 2), "ending": ending, "output": (out + err)[-2000:]}


def reap():
    try:
        return os.waitpid(-1, 0)[0]
    except ChildProcessError:
        return 0


def with_result(result, path, calls, script):
    # A reducer that finds nothing to take away may write nothing.
    text = (path if path.exists() else script).read_text()
    lines = [line for line in text.splitlines() if line.strip()]
    result.update(bytes=len(text.encode()), lines=len(lines), nodes=nodes(text), calls=calls, text=text)
    return result


def auspex(options, folder, script, kind, accused, seconds):
    out = folder / "auspex.smt2"
    more = arguments_of(kind, accused)
    line = shlex.join(map(str, [program(accused), *more]))
    # A solver that is to look at its own models is a command line; its complaint counts as a crash.
    command = [options.auspex, "reduce", script, "--solver", line if more else accused, "--trusted", options.trusted, "--out", out]
    result = measured(command, seconds)
    if result["ending"] == "0":
        # No bug by our oracles: what the peers look for is a command's output, and so can we.
        wanted = sign(options, kind, script, accused)[1:] if kind in ("crash", "invalid_model") else []
        wanted = ["--match", *map(re.escape, wanted)] if wanted else []
        command = [options.auspex, "reduce", script, "--command", line, *wanted, "--out", out]
        again = measured(command, seconds)
        again.update(cpu=round(again["cpu"] + result["cpu"], 2), by_command=True)
        result = again
    calls = re.search(r"(\d+) solver calls", result["output"])
    return with_result(result, out, int(calls[1]) if calls else 0, script)


def ddsmt(options, folder, script, kind, accused, seconds):
    out = folder / "ddsmt.smt2"
    command = [options.peers / "ddsmt", "-j", "1"]
    wrong, *logs = counted(folder, "dd-accused", program(accused))
    if kind in ("crash", "invalid_model"):
        command += sign(options, kind, script, accused)
    else:
        right, log = counted(folder, "dd-trusted", program(options.trusted))
        command += ["-c", right]
        logs.append(log)
    command += [script, out, wrong, *arguments_of(kind, accused)]
    result = measured(command, seconds)
    return with_result(result, out, sum(len(log.read_text()) for log in logs), script)


def pydelta(options, folder, script, kind, accused, seconds):
    """Has no cross check: one program runs both solvers."""
    out = folder / "pydelta.smt2"
    command = [options.peers / "pydelta", "--max-threads", "1", "--outputfile", out]
    if kind in ("crash", "invalid_model"):
        command += sign(options, kind, script, accused)
        checked, log = counted(folder, "py-accused", program(accused))
        each = 1
    else:
        both = folder / "both"
        both.write_text(f"#!/bin/sh\n{program(accused)} \"$@\"\n{program(options.trusted)} \"$@\"\n")
        both.chmod(0o755)
        checked, log = counted(folder, "py-both", both)
        each = 2
    command += [script, checked, *arguments_of(kind, accused)]
    result = measured(command, seconds)
    return with_result(result, out, each * len(log.read_text()), script)


def table(results):
    print(f"{'bug':<34} {'reducer':<8} {'bytes':>6} {'lines':>5} {'nodes':>5} {'calls':>6} {'cpu s':>7}")
    for bug in results:
        for name, r in bug["reducers"].items():
            print(f"{bug['id'][:34]:<34} {name:<8} {r['bytes']:>6} {r['lines']:>5} {r['nodes']:>5} {r['calls']:>6} {r['cpu']:>7.2f}"
                  + ("" if r["ending"] in ("0", "1") else f"  ({r['ending']})"))


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
    # What a reducer leaves behind when it is stopped becomes our child (PR_SET_CHILD_SUBREAPER), so that it counts.
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    reducers = {"auspex": auspex}
    if options.peers:
        reducers.update(ddsmt=ddsmt, pydelta=pydelta)
    reducers = {name: run for name, run in reducers.items() if name in options.only.split(",")}
    options.out.mkdir(parents=True, exist_ok=True)
    options.out = options.out.resolve()
    record = options.out / "results.json"
    known = {bug["id"]: bug for bug in json.loads(record.read_text())} if record.exists() else {}
    again, results = options.again.split(","), []
    for name, kind, script, (solver, version) in rows(options):
        folder = options.out / name
        folder.mkdir(exist_ok=True)
        bug = known.setdefault(name, {"id": name, "class": kind, "accused": f"{solver}@{version}", "reducers": {}})
        for reducer, run in reducers.items():
            if reducer not in bug["reducers"] or reducer in again:
                bug["reducers"][reducer] = run(options, folder, script.resolve(), kind, bug["accused"], options.seconds)
        results.append(bug)
        print(f"{name} done", file=sys.stderr)
        record.write_text(json.dumps(list(known.values()), indent=1))
    table(results)
    plot(results, options.out / "reduce.svg")


if __name__ == "__main__":
    main()
