#!/usr/bin/env python3
"""Runs a campaign at full load, kills it and its solvers at random moments, and looks every minute at what it holds.

    benches/soak.py --seconds 7200 --auspex target/release/auspex --seeds FOLDER --solver z3@5.4.0 --solver cvc5@1.4.2

Every ten to ninety seconds one of these happens: a solver is killed, the campaign is killed and started again in the
same folder, or it is stopped by SIGTERM and started again.
A table has a row for each minute: memory and open files of the campaign, its processes, what is left of processes of
earlier starts, the size of the campaign's folder and of scratch folders, cases.
The cache of solvers is a copy of its own, so that other campaigns on the machine are not counted.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=7200)
    parser.add_argument("--auspex", type=pathlib.Path, default=pathlib.Path("target/release/auspex"))
    parser.add_argument("--seeds", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--solver", action="append", required=True)
    parser.add_argument("--workers", default="2")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="a new folder for everything")
    parser.add_argument("--random", type=int, default=1)
    return parser.parse_args()


class Soak:
    def __init__(self, options):
        self.options = options
        self.draw = random.Random(options.random)
        self.home = options.out.resolve()
        self.campaign = self.home / "campaign"
        self.scratch = self.home / "tmp"
        self.scratch.mkdir(parents=True)
        self.counts = {"solver killed": 0, "campaign killed": 0, "campaign stopped": 0, "ended by itself": 0}
        self.problems = []
        self.environment = dict(os.environ, TMPDIR=str(self.scratch), AUSPEX_CACHE=str(self.cache()))
        self.job = None

    def cache(self):
        usual = os.environ.get("AUSPEX_CACHE") or os.path.expanduser("~/.cache/auspex")
        own = self.home / "cache"
        for name in self.options.solver:
            folder = name.replace("@", "-")
            shutil.copytree(pathlib.Path(usual) / "solvers" / folder, own / "solvers" / folder, symlinks=True)
        own.chmod(0o700)
        return own

    def start(self):
        options = self.options
        line = [str(options.auspex.resolve()), "fuzz", "--plain", "--no-memory", "--no-seed-install"]
        line += ["--workers", options.workers, "--out", str(self.campaign)]
        for name in options.solver:
            line += ["--solver", name]
        for folder in options.seeds:
            line += ["--seeds", str(folder.resolve())]
        log = open(self.home / "log", "a")
        self.job = subprocess.Popen(line, stdout=log, stderr=log, env=self.environment, cwd=self.home)

    def solvers(self):
        """Processes of programs in our own copy of the cache, with their parents."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes()
                if str(self.home).encode() + b"/cache" in words and int(entry.name) != self.job.pid:
                    parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                    found.append((int(entry.name), parent))
            except (OSError, ValueError, IndexError):
                continue
        return found

    def strike(self):
        kind = self.draw.choice(["solver killed", "solver killed", "campaign killed", "campaign stopped"])
        if kind == "solver killed":
            alive = self.solvers()
            if not alive:
                return
            try:
                os.kill(self.draw.choice(alive)[0], signal.SIGKILL)
            except ProcessLookupError:
                return
        else:
            self.job.send_signal(signal.SIGKILL if kind == "campaign killed" else signal.SIGTERM)
            try:
                self.job.wait(60)
            except subprocess.TimeoutExpired:
                self.problems.append("SIGTERM did not end the campaign within a minute")
                self.job.kill()
                self.job.wait()
            # Solvers die with the campaign; half a second is for the kernel.
            time.sleep(0.5)
            left = [pid for pid, _ in self.solvers()]
            if left:
                self.problems.append(f"{kind}: {len(left)} processes were left")
            self.start()
        self.counts[kind] += 1

    def row(self, started):
        try:
            home = pathlib.Path(f"/proc/{self.job.pid}")
            memory = int((home / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
            files = len(list((home / "fd").iterdir()))
        except OSError:
            return None
        solvers = self.solvers()
        return {
            "minute": round((time.time() - started) / 60),
            "memory": round(memory, 1),
            "open files": files,
            "processes": len(solvers),
            "campaign": size(self.campaign),
            "scratch": size(self.scratch),
            "cases": self.cases(),
        }

    def cases(self):
        line = [str(self.options.auspex.resolve()), "status", str(self.campaign), "--json"]
        done = subprocess.run(line, capture_output=True, text=True, env=self.environment)
        if done.returncode not in (0, 1):
            self.problems.append(f"status ends with {done.returncode}: {done.stderr.strip()}")
            return None
        return json.loads(done.stdout)["tally"]["cases"]

    def run(self):
        started = time.time()
        self.start()
        rows, look, strike = [], started + 60, started + self.draw.uniform(10, 90)
        print("| minute | memory MB | open files | processes | campaign MB | scratch MB | cases |")
        print("|---|---|---|---|---|---|---|", flush=True)
        while time.time() < started + self.options.seconds:
            time.sleep(0.2)
            if self.job.poll() is not None:
                self.counts["ended by itself"] += 1
                self.problems.append(f"the campaign ended by itself with {self.job.returncode}")
                self.start()
            if time.time() > strike:
                self.strike()
                strike = time.time() + self.draw.uniform(10, 90)
            if time.time() > look:
                look += 60
                if row := self.row(started):
                    rows.append(row)
                    print("| " + " | ".join(str(value) for value in row.values()) + " |", flush=True)
        self.end(rows)

    def end(self, rows):
        self.job.send_signal(signal.SIGTERM)
        self.job.wait()
        time.sleep(0.5)
        print("\nafter the end:", len(self.solvers()), "processes,", size(self.scratch), "MB of scratch")
        print(", ".join(f"{number} times {kind}" for kind, number in self.counts.items()))
        for key in ("memory", "open files", "processes"):
            values = sorted(row[key] for row in rows)
            if values:
                print(f"{key}: {values[0]} to {values[-1]}, median {values[len(values) // 2]}")
        for problem in self.problems:
            print(problem)


def size(folder):
    """Megabytes of the files in a folder."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(path, name)).st_size
            except OSError:
                continue
    return round(total / 1e6, 2)


if __name__ == "__main__":
    sys.exit(Soak(arguments()).run())
