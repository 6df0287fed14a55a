#!/usr/bin/env python3
"""Which planted bugs of a solver are found, by us and by the peers, in the same processor time.

    benches/planted.py [--bugs 100] [--seconds 30] [--tool auspex]… [--peers VENV] [--seed 1]… [--scripts 150] [--out planted]

Bitwuzla is built from its crate (see instrumented.py) with 250 bugs planted by rule (see schemata.py); a variable of the environment
chooses one. A bug counts if it makes a difference inside of the solver on the smoke test (some of the solver's own regression
tests and three scripts of ours) and the solver is not wrong on our three. The seeds are the same regression tests; what they show
already, each asked once, is a column of its own.

Tools: `auspex` (all strategies), `auspex:STRATEGY`, `auspex+guide` (mutants that reach new edges become seeds; the solver is built with
edges), and yinyang's `typefuzz`, `opfuzz` and smtfuzz if --peers names a virtual environment with both. Each gets one process and its
seconds of processor time for each bug, the solvers included, beside another solver that is right. It has found the bug when a script that it
reports makes the planted solver answer otherwise than the same build without a bug. What the JSON file has is not run again.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import time

import instrumented
import peers
import processes
import schemata

HERE = pathlib.Path(__file__).resolve().parent
TRIVIAL = (
    ("sat", "(set-logic QF_BV)(declare-const x (_ BitVec 8))(assert (= (bvadd x #x01) #x10))(check-sat)"),
    ("unsat", "(set-logic QF_BV)(declare-const x (_ BitVec 8))(assert (bvult x #x00))(check-sat)"),
    ("sat", "(set-logic QF_ABV)(declare-const a (Array (_ BitVec 2) (_ BitVec 4)))(declare-const i (_ BitVec 2))(assert (= (select a i) #x5))(check-sat)"),
)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--auspex", type=pathlib.Path, default=HERE.parent / "target/release/auspex")
    parser.add_argument("--bugs", type=int, default=100, help="how many of the bugs, in the order of a hash")
    parser.add_argument("--planted", type=int, default=250, help="how many to plant")
    parser.add_argument("--seconds", type=float, default=30, help="of processor time for each bug and tool")
    parser.add_argument("--tool", action="append", default=[])
    parser.add_argument("--peers", type=pathlib.Path, help="a virtual environment with yinyang and smtfuzz")
    parser.add_argument("--beside", default="z3@5.4.0", help="the solver to compare with")
    parser.add_argument("--seed", type=int, action="append", default=[])
    parser.add_argument("--scripts", type=int, default=150, help="how many regression tests")
    parser.add_argument("--most", type=float, help="stop after so many seconds by the clock; the rest another time")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("planted"))
    return parser.parse_args()


def order(*words):
    return hashlib.sha256(":".join(map(str, words)).encode()).hexdigest()


# ---- the solver with its bugs ----

def programs(count):
    """The programs without and with edges, and what is planted: number to part, operator, file, line."""
    there = instrumented.libraries(instrumented.cache())

    def prepare(source):
        command = ["clang++", "-std=c++17", "-w", *(f"-I{place}" for place in (
            there / "usr/include", there / "usr/include/x86_64-linux-gnu", source / "include", source / "src", source / "src/lib", source))]
        rows = schemata.plant(source, count, command)
        (source.parent / "places.json").write_text(json.dumps({number: row[:4] for number, row in rows.items()}))

    link = HERE / "schemata.c"
    plain = instrumented.build(f"planted-{count}", [], [link], prepare)
    covered = instrumented.covered(prepare, f"planted-{count}-covered", [link])
    places = json.loads((plain.parents[3] / "places.json").read_text())
    return plain, covered, {int(number): row for number, row in places.items()}


def asked(program, script, bug=0, more=None, seconds=2):
    """The output on a script, with the model; `slow` if there is none in time."""
    environment = {**os.environ, "AUSPEX_MUTANT": str(bug), **(more or {})}
    text = pathlib.Path(script).read_text(errors="replace")
    text = "(set-option :produce-models true)" + text.replace("(get-model)", "").replace("(check-sat)", "(check-sat)(get-model)")
    try:
        ended = subprocess.run([program, "--lang", "smt2", "/dev/stdin"], input=text, capture_output=True, text=True, errors="replace", timeout=seconds, env=environment)
    except subprocess.TimeoutExpired:
        return "slow"
    return "crash" if ended.returncode < 0 else ended.stdout


def words(output):
    return output if output in ("crash", "slow") else " ".join(re.findall(r"^(?:sat|unsat|unknown)$", output, re.M))


def corpus(program, folder, count):
    """The chosen regression tests that the solver answers quickly."""
    if folder.exists():
        return sorted(folder.glob("*.smt2"))
    tests = instrumented.source() / "test/regress"
    new = folder.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    found = 0
    for path in sorted(tests.rglob("*.smt2"), key=lambda path: order(path.relative_to(tests))):
        if found < count and path.stat().st_size < 16384 and words(asked(program, path, seconds=0.5)) in ("sat", "unsat"):
            shutil.copy(path, new / f"{found:03}-{path.name}")
            found += 1
    new.rename(folder)
    return sorted(folder.glob("*.smt2"))


def smoke(options, program, places):
    """The bugs that count, in the order of a hash, each with the seconds after which the seeds alone show it (or nothing)."""
    store = options.out / "smoke.json"
    if store.exists():
        return {int(number): seconds for number, seconds in json.loads(store.read_text()).items()}
    scripts = corpus(program, options.out / "seeds", options.scripts)
    trivial = []
    for number, (_, text) in enumerate(TRIVIAL):
        trivial.append(options.out / f"trivial-{number}.smt2")
        trivial[-1].write_text(text)
    marks = options.out / "marks"
    marks.write_bytes(b"")
    for path in [*scripts, *trivial]:
        asked(program, path, more={"AUSPEX_MUTANT_MAP": str(marks.resolve())})
    marked = marks.read_bytes()
    right = {path: asked(program, path) for path in scripts}
    live = {}
    for bug in sorted((bug for bug in places if marked[bug]), key=lambda bug: order(*places[bug])):
        if len(live) == options.bugs:
            break
        if any(words(asked(program, path, bug)) != answer for path, (answer, _) in zip(trivial, TRIVIAL)):
            continue
        before, live[bug] = processes.spent(), None
        for path in scripts:
            if {words(asked(program, path, bug)), words(right[path])} in ({"sat", "unsat"}, {"sat", "crash"}, {"unsat", "crash"}):
                live[bug] = round(processes.spent() - before, 2)
                break
    store.write_text(json.dumps(live))
    return live


# ---- the hunt ----

def separates(program, script, bug):
    """Whether a script shows the bug: the build answers otherwise without it."""
    wrong, right = asked(program, script, bug), asked(program, script)
    return "slow" not in (wrong, right) and wrong != right


def hunt(options, program, bug, line, folder, reports):
    """Runs a tool until it reports a script that shows the bug, or its time is over; the processor seconds, or nothing."""
    folder.mkdir(parents=True)
    environment = {**os.environ, "AUSPEX_MUTANT": str(bug)}
    seen, spent = set(), 0
    while spent < options.seconds:
        with (folder / "output").open("ab") as file:
            job = subprocess.Popen([str(word) for word in line], cwd=folder, stdout=file, stderr=file, start_new_session=True, env=environment)
        before, over = spent, False
        while not over:
            over = job.poll() is not None
            if not over:
                spent = before + processes.spent_by(job.pid)
            for script in sorted(set(reports(folder)) - seen):
                seen.add(script)
                if separates(program, script, bug):
                    stop(job)
                    return round(spent, 1)
            if spent >= options.seconds:
                break
            time.sleep(0.25)
        stop(job)
        # A tool that ends at once would be started for ever.
        spent = max(spent, before + 0.5)
    return None


def stop(job):
    if job.poll() is None:
        job.send_signal(signal.SIGINT)
        try:
            job.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            job.wait()


def line(options, tool, program, seed, folder):
    """The command of a tool."""
    beside = options.beside
    if tool.startswith("auspex"):
        name, _, strategy = tool.partition(":")
        more = [word for one in strategy.split(",") if one for word in ("--strategy", one)]
        more += ["--guide", "coverage"] if name == "auspex+guide" else []
        return [options.auspex.resolve(), "fuzz", "--plain", "--solver", program, "--solver", beside, "--seeds", (options.out / "seeds").resolve(),
                "--workers", "1", "--seed", str(seed), "--no-reduce", "--bugs-only", "--options", "none", "--asks", "none",
                "--theories", "core,bv,fp,arrays", "--out", folder / "campaign", *more]
    other = " ".join(peers.command(beside))
    return [options.peers / "bin" / tool, "-t", "2", f"{program};{other}", (options.out / "seeds").resolve()]


def reports(tool):
    if tool.startswith("auspex"):
        return lambda folder: folder.glob("campaign/findings/*/script.smt2")
    return lambda folder: folder.glob("bugs/*.smt2")


def run(options, tool, bug, seed, built):
    """The seconds until the bug is found, or nothing."""
    plain, covered = built
    program = covered if tool.startswith("auspex+") else plain
    folder = (options.out / "runs" / f"{tool.replace(':', '-')}-{seed}-{bug}").resolve()
    shutil.rmtree(folder, ignore_errors=True)
    if tool == "smtfuzz":
        return smtfuzz(options, plain, bug, seed, folder)
    found = hunt(options, plain, bug, line(options, tool, program, seed, folder), folder, reports(tool))
    shutil.rmtree(folder, ignore_errors=True)
    return found


def smtfuzz(options, program, bug, seed, folder):
    folder.mkdir(parents=True)
    began, number = processes.spent(), seed * 10**6
    while processes.spent() - began < options.seconds:
        number += 1
        path = folder / "case.smt2"
        made = subprocess.run([options.peers / "bin/smtfuzz", "--seed", str(number)], capture_output=True, text=True, errors="replace")
        path.write_text(made.stdout)
        # Its oracle is another solver, as for the others.
        mine = words(asked(program, path, bug))
        if mine == "crash" or {mine, peers_answer(options, path)} == {"sat", "unsat"}:
            if separates(program, path, bug):
                return round(processes.spent() - began, 1)
    return None


def peers_answer(options, path):
    answer = peers.answer(peers.command(options.beside), path)
    return " ".join(answer) if isinstance(answer, tuple) else answer


# ---- the result ----

def table(results, live, places):
    tools = sorted({key.split("|")[0] for key in results})
    lines = ["| tool | bugs tried | found | beyond the seeds | median seconds | " + " | ".join(schemata.PARTS) + " |", "|---" * (5 + len(schemata.PARTS)) + "|"]
    for tool in tools:
        mine = {(int(bug), seed): found for key, found in results.items() for name, seed, bug in [key.split("|")] if name == tool}
        times = [found for found in mine.values() if found is not None]
        hard = [found for (bug, _), found in mine.items() if live[bug] is None]
        parts = []
        for part in schemata.PARTS:
            those = [found for (bug, _), found in mine.items() if places[bug][0] == part]
            parts.append(f"{sum(found is not None for found in those)} of {len(those)}")
        lines.append(f"| {tool} | {len(mine)} | {len(times)} | {sum(found is not None for found in hard)} of {len(hard)} | "
                     f"{statistics.median(times) if times else '-'} | {' | '.join(parts)} |")
    return "\n".join(lines)


def plot(results, seconds, path):
    """For each tool the share of its bugs that were found up to each second."""
    tools = sorted({key.split("|")[0] for key in results})
    colours = ("#2a6fbb", "#d1495b", "#3a8f5c", "#8a5fb0", "#c98a1b", "#5b6770", "#1b9aaa", "#b0b0b0")
    height = max(260, 20 * len(tools) + 60)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="680" height="{height}" font-family="sans-serif" font-size="12">', f'<rect width="680" height="{height}" fill="white"/>',
             f'<text x="50" y="{height - 8}">processor seconds, 0 to {seconds:g}; share of planted bugs found, 0 to 100 %</text><path d="M50,20V220H450" fill="none" stroke="#888"/>']
    for number, tool in enumerate(tools):
        mine = [found for key, found in results.items() if key.split("|")[0] == tool]
        times = sorted(found for found in mine if found is not None)
        points = "M50,220" + "".join(f"H{50 + 400 * min(found, seconds) / seconds:.1f}V{220 - 200 * (at + 1) / len(mine):.1f}" for at, found in enumerate(times)) + "H450"
        colour = colours[number % len(colours)]
        parts.append(f'<path d="{points}" fill="none" stroke="{colour}" stroke-width="2"/><text x="470" y="{34 + 20 * number}" fill="{colour}">{tool}: {len(times)} of {len(mine)}</text>')
    path.write_text("\n".join(parts) + "</svg>\n")


def main():
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    plain, covered, places = programs(options.planted)
    live = smoke(options, plain, places)
    print(f"{len(live)} planted bugs, {sum(found is not None for found in live.values())} of them shown by the seeds alone", flush=True)
    tools = options.tool or ["auspex", "auspex+guide", *(["typefuzz", "opfuzz", "smtfuzz"] if options.peers else [])]
    store, began = options.out / "planted.json", time.time()
    results = json.loads(store.read_text()) if store.exists() else {}
    # Bug by bug, so that a run that is cut short compares all tools on the same bugs.
    for bug in live:
        for seed in options.seed or [1]:
            for tool in tools:
                key = f"{tool}|{seed}|{bug}"
                if key in results or (options.most and time.time() - began > options.most):
                    continue
                results[key] = run(options, tool, bug, seed, (plain, covered))
                store.write_text(json.dumps(results, indent=1))
                part, operator, file, number = places[bug]
                print(f"{tool} {seed} {bug} {part}, {operator}, {file}:{number}: {results[key]}", flush=True)
    print(table(results, live, places))
    plot(results, options.seconds, options.out / "planted.svg")
    every = {bug for bug in live if any(key.endswith(f"|{bug}") for key in results)}
    missed = [bug for bug in every if not any(found is not None for key, found in results.items() if key.endswith(f"|{bug}"))]
    print(f"\nfound by no tool: {len(missed)} of {len(every)}")
    for bug in sorted(missed):
        print(f"  {bug}: {', '.join(map(str, places[bug]))}")


if __name__ == "__main__":
    main()
