#!/usr/bin/env python3
"""Runs `auspex fuzz` and yinyang's typefuzz side by side on the same solvers and seeds.

    benches/campaign.py SEEDS --seconds 3600 --auspex target/release/auspex --yinyang VENV/bin/typefuzz \\
        --solver z3@5.4.0=PATH --solver z3@4.13.0=PATH [--strategy construct,typefuzz,opfuzz,diver]

A solver is named as auspex knows it, and by the program that typefuzz starts.
yinyang comes from the package index: pip install yinyang==0.3.0.
Each gets one worker. Counted are cases, processor seconds of the whole process tree, our own share of them,
and our memory at ten moments.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seeds", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--auspex", type=pathlib.Path, default=pathlib.Path("target/release/auspex"))
    parser.add_argument("--yinyang", type=pathlib.Path)
    parser.add_argument("--solver", action="append", required=True, metavar="NAME=PATH")
    parser.add_argument("--strategy", default="construct,typefuzz,opfuzz,diver")
    parser.add_argument("--timeout", default="0.5")
    parser.add_argument("--workers", default="1")
    return parser.parse_args()


def cpu(pid):
    """Processor seconds of a process, and of its descendants that have ended and been waited for."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text.rsplit(")", 1)[1].split()
    ticks = os.sysconf("SC_CLK_TCK")
    own = (int(fields[11]) + int(fields[12])) / ticks
    return own, (int(fields[13]) + int(fields[14])) / ticks


def memory(pid):
    try:
        pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def run(options, folder):
    names = [solver.split("=", 1) for solver in options.solver]
    ours = [str(options.auspex.resolve()), "fuzz", "--plain", "--seed", "1", "--workers", options.workers]
    ours += ["--out", str(folder / "campaign"), "--seeds", str(options.seeds), "--timeout", options.timeout]
    ours += ["--strategy", options.strategy, "--time", f"{options.seconds}s"]
    for name, _ in names:
        ours += ["--solver", name]
    jobs = {"auspex": subprocess.Popen(ours, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)}
    if options.yinyang:
        theirs = [str(options.yinyang), "-t", "8", ";".join(path for _, path in names), str(options.seeds)]
        log = open(folder / "yinyang.log", "w")
        jobs["yinyang"] = subprocess.Popen(theirs, stdout=log, stderr=subprocess.STDOUT, cwd=folder)
    return jobs


def watch(jobs, seconds):
    """Waits, and tells own seconds of each and our memory at ten moments."""
    started, own, sizes = time.time(), {}, []
    while time.time() < started + seconds:
        time.sleep(min(1, max(0.01, started + seconds - time.time())))
        for name, job in jobs.items():
            found = cpu(job.pid)
            if found:
                own[name] = found[0]
        if time.time() - started >= (len(sizes) + 1) * seconds / 10.5:
            sizes.append(round(memory(jobs["auspex"].pid) or 0))
    return own, sizes


def main():
    options = arguments()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="auspex-bench-"))
    options.seeds = options.seeds.resolve()
    jobs = run(options, folder)
    own, sizes = watch(jobs, options.seconds)
    total = {}
    for name, job in jobs.items():
        # Not by the job's own method: that would take away the numbers of one that has ended.
        os.kill(job.pid, signal.SIGINT)
    for name, job in jobs.items():
        _, _, usage = os.wait4(job.pid, 0)
        total[name] = usage.ru_utime + usage.ru_stime
    status = subprocess.run(
        [str(options.auspex.resolve()), "status", "--json", str(folder / "campaign")], capture_output=True, text=True
    )
    status = json.loads(status.stdout)
    cases = {"auspex": status["tally"]["cases"]}
    if options.yinyang:
        calls = re.findall(r"Performed (\d+) solver calls", (folder / "yinyang.log").read_text())
        cases["yinyang"] = int(calls[-1]) // len(options.solver) if calls else 0
    for name in jobs:
        print(
            f"{name}: {cases[name]} cases, {total[name]:.0f} processor seconds, own {own.get(name, 0):.1f}"
            f" ({100 * own.get(name, 0) / max(total[name], 0.001):.1f} %),"
            f" {cases[name] / max(total[name], 0.001):.2f} cases a processor second"
        )
    print("our memory in MB:", " ".join(str(size) for size in sizes))
    print("folder:", folder)


if __name__ == "__main__":
    main()
