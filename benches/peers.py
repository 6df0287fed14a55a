"""Runs the peers (yinyang's typefuzz, opfuzz and fusion, and smtfuzz) on a release for a fixed processor time.

Each gets as many processes as are asked for, and each process its time whatever else the machine does. yinyang ends when a seed is more than it can read, so it is started again until the time is over.
smtfuzz only makes scripts: each is asked of the release and of the solver beside it, and kept where the release
crashes or the two contradict each other.
"""
import concurrent.futures
import random
import re
import shutil
import signal
import subprocess
import time

import processes

TOOLS = ("typefuzz", "opfuzz", "fusion", "smtfuzz")
# What makes a solver look at its own models, so that the peers can see an invalid one.
VALIDATE = {"z3": ["model_validate=true"], "cvc5": ["--check-models", "--strings-exp"], "cvc4": ["--check-models", "--strings-exp", "--lang", "smt2"]}
CRASH = re.compile(r"Assertion|Fatal failure|Segmentation fault|Unreachable|terminate called|invalid model", re.I)


def command(solver):
    return [str(processes.program(solver)), *VALIDATE.get(solver.partition("@")[0], [])]


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


def calls_until(over, line, folder):
    """Runs a yinyang tool until it ends by itself or its time (asked by its process number) is over; how often it called a solver."""
    output = folder / "output"
    with output.open("wb") as file:
        job = subprocess.Popen([str(word) for word in line], cwd=folder, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)
    while job.poll() is None:
        if over(job.pid):
            job.send_signal(signal.SIGINT)
            job.wait(timeout=120)
        time.sleep(0.5)
    counts = re.findall(r"Performed (\d+) solver calls", output.read_text(errors="replace"))
    return int(counts[-1]) if counts else 0


def yinyang(venv, tool, solvers, seeds, folder, seconds):
    """One process of a yinyang tool, started again as often as it ends by itself."""
    folder.mkdir(parents=True)
    targets = ";".join(" ".join(command(solver)) for solver in solvers)
    calls, began = 0, processes.spent()
    while (left := seconds - (processes.spent() - began)) > 1:
        if tool == "fusion":
            # One half of the time is for satisfiable seeds, the other for unsatisfiable ones.
            status, left = ("sat", left - seconds / 2) if left > seconds / 2 + 1 else ("unsat", left)
            line = [venv / "bin" / "yinyang", "-o", status, "-t", "2", targets, seeds[0] / status]
        else:
            line = [venv / "bin" / tool, "-t", "2", targets, *seeds]
        calls += calls_until(lambda job: processes.spent_by(job) > left, line, folder)
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
    calls, began, chance = 0, processes.spent(), random.Random(number)
    while processes.spent() - began < seconds:
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


def run(tool, venv, release, beside, seeds, folder, seconds, numbers):
    """What a peer finds, one process for each number: solver calls, processor seconds, and the scripts it calls bugs."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    solvers, before = [release, *beside], processes.spent()
    if tool == "fusion":
        by_status(seeds, folder / "seeds")
        seeds = [folder / "seeds"]
    places = {number: folder / str(number) for number in numbers}
    # Processes, not threads: each counts the time of what it has started itself.
    with concurrent.futures.ProcessPoolExecutor(len(numbers)) as pool:
        jobs = [pool.submit(smtfuzz, venv, solvers, place, seconds, number) if tool == "smtfuzz"
                else pool.submit(yinyang, venv, tool, solvers, seeds, place, seconds) for number, place in places.items()]
    return {"calls": sum(job.result() for job in jobs), "cpu": processes.spent() - before, "scripts": sorted(folder.glob("*/bugs/*.smt2"))}
