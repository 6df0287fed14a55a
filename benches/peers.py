"""Runs the peers (yinyang's typefuzz, opfuzz and fusion, and smtfuzz) on a release for a fixed time.

Each gets as many processes as are asked for. yinyang ends when a seed is more than it can read, so it is started again until the time is over.
smtfuzz only makes scripts: each is asked of the release and of the solver beside it, and kept where the release
crashes or the two contradict each other.
"""
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import tomllib

TOOLS = ("typefuzz", "opfuzz", "fusion", "smtfuzz")
# What makes a solver look at its own models, so that the peers can see an invalid one.
VALIDATE = {"z3": ["model_validate=true"], "cvc5": ["--check-models", "--strings-exp"], "cvc4": ["--check-models", "--strings-exp", "--lang", "smt2"]}
CRASH = re.compile(r"Assertion|Fatal failure|Segmentation fault|Unreachable|terminate called|invalid model", re.I)


def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def program(solver):
    """The program of a release that Auspex has installed; a script starts it if it takes more than its name."""
    name, _, version = solver.partition("@")
    cache = os.environ.get("AUSPEX_CACHE") or os.path.expanduser("~/.cache/auspex")
    home = pathlib.Path(cache).resolve() / "solvers" / f"{name}-{version}"
    note = tomllib.loads((home / "auspex.toml").read_text())
    path = home / note["program"]
    if not note["libraries"] and not note["arguments"]:
        return path
    start = pathlib.Path(tempfile.gettempdir()) / f"auspex-bench-{os.getuid()}" / f"{name}-{version}"
    start.parent.mkdir(mode=0o700, exist_ok=True)
    libraries = ":".join(str(home / folder) for folder in note["libraries"])
    words = " ".join(word.replace("./", f"{home}/") for word in note["arguments"])
    text = f'#!/bin/sh\nLD_LIBRARY_PATH={libraries} exec {path} {words} "$@"\n'
    # A program that runs cannot be written.
    if not start.exists() or start.read_text() != text:
        start.write_text(text)
        start.chmod(0o700)
    return start


def command(solver):
    return [str(program(solver)), *VALIDATE.get(solver.partition("@")[0], [])]


def by_status(seeds, folder):
    """Fusion wants seeds of one status in one folder."""
    for place in seeds:
        for path in place.rglob("*.smt2"):
            text = path.read_text(errors="replace")
            statuses = set(re.findall(r":status\s+(sat|unsat)\b|^; EXPECT: (sat|unsat)$", text, re.M))
            words = {word for pair in statuses for word in pair if word}
            if len(words) == 1 and len(re.findall(r"\(check-sat", text)) == 1:
                where = folder / words.pop()
                where.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, where / f"{abs(hash(path)):x}.smt2")


def calls_within(line, folder, ends):
    """Runs a yinyang tool until it ends by itself or the time is over; how often it called a solver."""
    job = subprocess.Popen([str(word) for word in line], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        output, _ = job.communicate(timeout=max(1, ends - time.time()))
    except subprocess.TimeoutExpired:
        job.send_signal(signal.SIGINT)
        output, _ = job.communicate(timeout=60)
    counts = re.findall(r"Performed (\d+) solver calls", output.decode(errors="replace"))
    return int(counts[-1]) if counts else 0


def yinyang(venv, tool, solvers, seeds, folder, seconds):
    """One process of a yinyang tool, started again as often as it ends by itself."""
    folder.mkdir(parents=True)
    targets = ";".join(" ".join(command(solver)) for solver in solvers)
    calls, began, ends = 0, time.time(), time.time() + seconds
    while time.time() < ends - 1:
        until = ends
        if tool == "fusion":
            # One half of the time is for satisfiable seeds, the other for unsatisfiable ones.
            halfway = began + seconds / 2
            status, until = ("sat", halfway) if time.time() < halfway - 1 else ("unsat", ends)
            line = [venv / "bin" / "yinyang", "-o", status, "-t", "2", targets, seeds[0] / status]
        else:
            line = [venv / "bin" / tool, "-t", "2", targets, *seeds]
        calls += calls_within(line, folder, until)
    return calls


def answer(line, path):
    try:
        ended = subprocess.run([*line, str(path)], capture_output=True, text=True, errors="replace", timeout=2)
    except subprocess.TimeoutExpired:
        return None
    output = ended.stdout + ended.stderr
    if ended.returncode < 0 or CRASH.search(output):
        return "crash"
    words = re.findall(r"^(sat|unsat|unknown)$", ended.stdout, re.M)
    return None if "(error" in output else tuple(words)


def smtfuzz(venv, solvers, folder, seconds, number):
    """One process of smtfuzz; its scripts are compared by us."""
    (folder / "bugs").mkdir(parents=True)
    calls, ends, chance = 0, time.time() + seconds, random.Random(number)
    while time.time() < ends:
        seed = chance.randrange(10**9)
        path = folder / "case.smt2"
        made = subprocess.run([venv / "bin" / "smtfuzz", "--seed", str(seed)], capture_output=True, text=True, errors="replace")
        path.write_text(made.stdout)
        answers = [answer(command(solver), path) for solver in solvers]
        calls += len(solvers)
        pairs = zip(answers[0], answers[-1]) if None not in answers and "crash" not in answers else []
        if answers[0] == "crash" or any({"sat", "unsat"} == set(pair) for pair in pairs):
            shutil.copy(path, folder / "bugs" / f"{'crash' if answers[0] == 'crash' else 'incorrect'}-{seed}.smt2")
    return calls


def run(tool, venv, release, beside, seeds, folder, seconds, processes):
    """What a peer finds: solver calls, processor seconds, and the scripts it calls bugs."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    solvers, before = [release, *beside], spent()
    if tool == "fusion":
        by_status(seeds, folder / "seeds")
        seeds = [folder / "seeds"]

    def one(number):
        place = folder / str(number)
        if tool == "smtfuzz":
            return smtfuzz(venv, solvers, place, seconds, number)
        return yinyang(venv, tool, solvers, seeds, place, seconds)

    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        calls = sum(pool.map(one, range(1, 1 + processes)))
    return {"calls": calls, "cpu": spent() - before, "scripts": sorted(folder.glob("*/bugs/*.smt2"))}
