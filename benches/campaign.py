#!/usr/bin/env python3
"""Runs `auspex fuzz` and yinyang's typefuzz side by side on the same solvers and seeds.

    benches/campaign.py SEEDS --seconds 3600 --auspex target/release/auspex --yinyang VENV/bin/typefuzz \\
        --solver z3@5.4.0 --solver cvc5@1.0.3 [--strategy construct,typefuzz,opfuzz,diver]

Solvers are releases that auspex has installed and that have a program.
yinyang comes from the package index: pip install yinyang==0.3.0. It ends at the first seed that it cannot read
and is then started again.
Each gets one worker. Counted are cases, processor seconds of the whole process tree, our own share of them,
and our memory at ten moments.
"""
import argparse
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import threading
import time

import peers
import processes


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seeds", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--auspex", type=pathlib.Path, default=pathlib.Path("target/release/auspex"))
    parser.add_argument("--yinyang", type=pathlib.Path)
    parser.add_argument("--solver", action="append", required=True, help="z3@5.4.0 (at least two)")
    parser.add_argument("--strategy", default="construct,typefuzz,opfuzz,diver")
    parser.add_argument("--timeout", default="0.5")
    parser.add_argument("--workers", default="1")
    return parser.parse_args()


def cpu(pid):
    """Processor seconds of a process without its descendants."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text.rsplit(")", 1)[1].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return (int(fields[11]) + int(fields[12])) / ticks


def memory(pid):
    try:
        pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def run(options, folder):
    ours = [str(options.auspex.resolve()), "fuzz", "--no-memory", "--plain", "--seed", "1", "--workers", options.workers]
    ours += ["--out", str(folder / "campaign"), "--seeds", str(options.seeds), "--timeout", options.timeout]
    ours += ["--strategy", options.strategy, "--time", f"{options.seconds}s"]
    for name in options.solver:
        ours += ["--solver", name]
    return subprocess.Popen(ours, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)


def yinyang(options, folder, found):
    """Runs typefuzz for the whole time, as often as it ends by itself."""
    targets = ";".join(str(processes.program(solver)) for solver in options.solver)
    line = [str(options.yinyang), "-t", "8", targets, str(options.seeds)]
    ends = time.time() + options.seconds
    while time.time() < ends - 1:
        found["cases"] += peers.calls_until(lambda job: time.time() > ends, line, folder) // len(options.solver)
        found["starts"] += 1


def watch(job, seconds):
    """Waits, and tells the job's own processor seconds and its memory at ten moments."""
    started, own, sizes = time.time(), 0, []
    while time.time() < started + seconds:
        time.sleep(min(1, max(0.01, started + seconds - time.time())))
        own = cpu(job.pid) or own
        if time.time() - started >= (len(sizes) + 1) * seconds / 10.5:
            sizes.append(round(memory(job.pid) or 0))
    return own, sizes


def report(name, cases, total, more):
    print(f"{name}: {cases} cases, {total:.0f} processor seconds, {cases / max(total, 0.001):.2f} cases a processor second, {more}")


def main():
    options = arguments()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="auspex-bench-"))
    options.seeds = options.seeds.resolve()
    peer = {"cases": 0, "starts": 0}
    beside = threading.Thread(target=yinyang, args=(options, folder, peer))
    job = run(options, folder)
    if options.yinyang:
        beside.start()
    own, sizes = watch(job, options.seconds)
    # Not by the job's own method: that would take away the numbers of one that has ended.
    os.kill(job.pid, signal.SIGINT)
    _, _, usage = os.wait4(job.pid, 0)
    total = usage.ru_utime + usage.ru_stime
    status = subprocess.run(
        [str(options.auspex.resolve()), "status", "--json", str(folder / "campaign")], capture_output=True, text=True
    )
    status = json.loads(status.stdout)
    report("auspex", status["tally"]["cases"], total, f"own {own:.1f} s ({100 * own / max(total, 0.001):.1f} %)")
    print("our memory in MB:", " ".join(str(size) for size in sizes))
    if options.yinyang:
        beside.join()
        all_of_them = resource.getrusage(resource.RUSAGE_CHILDREN)
        rest = all_of_them.ru_utime + all_of_them.ru_stime - total
        report("yinyang", peer["cases"], rest, f"{peer['starts']} starts")
    print("folder:", folder)


if __name__ == "__main__":
    main()
