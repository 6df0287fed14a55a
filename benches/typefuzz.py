#!/usr/bin/env python3
"""Compares our typefuzz and opfuzz with yinyang's on the same seeds, the same releases and the same time.

    benches/typefuzz.py SEEDS --yinyang VENV [--solver z3@4.8.12 --solver z3@5.4.0] [--plot docs/typefuzz-bench.svg]

SEEDS is a folder of scripts; VENV holds yinyang: python3 -m venv VENV && VENV/bin/pip install yinyang==0.3.0.
Ours are built by: cargo build --release -p auspex && cargo build --release -p auspex-campaign --example mutants.
Small scripts are drawn from SEEDS and given to both. Both run on one worker. Counted are processor seconds of
the whole process tree, so that a busy machine changes little. With solvers both test 16 mutants of a seed before
they go on to another (yinyang by 32 iterations, of which it tests each second one; by default it stays with a seed
for 300, and sees a handful of seeds in a few minutes). The result is a table, a JSON file and a plot.
"""
import argparse
import json
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

import processes

# Runs a program of yinyang and writes its counts when it ends.
COUNTING = """
import atexit, json, runpy, sys
from yinyang.src.core.Statistic import Statistic
counts = []
first = Statistic.__init__
def begin(self):
    first(self)
    counts.append(self)
Statistic.__init__ = begin
out, program = sys.argv[1], sys.argv[2]
atexit.register(lambda: open(out, "w").write(json.dumps(vars(counts[0]) if counts else {})))
sys.argv = sys.argv[2:]
runpy.run_path(program, run_name="__main__")
"""

# Makes mutants of every script as yinyang's loop does before it starts a solver, and hashes their texts.
MAKING = """
import hashlib, json, os, random, sys, time, types
import yinyang
from yinyang.src.mutators.GenTypeAwareMutation.GenTypeAwareMutation import GenTypeAwareMutation
from yinyang.src.mutators.GenTypeAwareMutation.Util import get_unique_subterms
from yinyang.src.mutators.TypeAwareOpMutation import TypeAwareOpMutation
from yinyang.src.parsing.Parse import parse_file
from yinyang.src.parsing.Typechecker import typecheck
folder, strategy, each, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
keep = sys.argv[5] if len(sys.argv) > 5 else None
sys.setrecursionlimit(100000)
random.seed(1)
config = os.path.join(os.path.dirname(yinyang.__file__), "config")
name = "typefuzz_config.txt" if strategy == "typefuzz" else "operator_mutations.txt"
arguments = types.SimpleNamespace(config=os.path.join(config, name), modulo=2)
made, seen, usable = 0, set(), 0
for file in sorted(os.listdir(folder)):
    began = made
    try:
        script, glob = parse_file(os.path.join(folder, file), silent=True)
        if strategy == "typefuzz":
            typecheck(script, glob)
            mutator = GenTypeAwareMutation(script, arguments, get_unique_subterms(script))
        else:
            mutator = TypeAwareOpMutation(script, arguments)
        for _ in range(each):
            mutant, success, _ = mutator.mutate()
            text = str(mutant)
            if success and text:
                made += 1
                seen.add(hashlib.sha1(text.encode()).digest())
                if keep:
                    with open(os.path.join(keep, f"{made:05}.smt2"), "w") as file:
                        file.write(text)
    except BaseException as problem:
        if isinstance(problem, KeyboardInterrupt):
            raise
    usable += made > began
json.dump({"made": made, "distinct": len(seen), "usable": usable}, open(out, "w"))
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seeds", type=pathlib.Path)
    parser.add_argument("--auspex", type=pathlib.Path, default=pathlib.Path("target/release/auspex"))
    parser.add_argument("--mutants", type=pathlib.Path, default=pathlib.Path("target/release/examples/mutants"))
    parser.add_argument("--plot", type=pathlib.Path, help="where to draw; in --out if not given")
    parser.add_argument("--yinyang", type=pathlib.Path, required=True, help="its virtual environment")
    parser.add_argument("--solver", action="append", help="two releases; z3@4.8.12 and z3@5.4.0 if not given")
    parser.add_argument("--files", type=int, default=200, help="how many seeds")
    parser.add_argument("--largest", type=int, default=4096, help="bytes of the largest seed")
    parser.add_argument("--each", type=int, default=60, help="mutants made of each seed, without solvers")
    parser.add_argument("--seconds", type=int, default=120, help="per program, with solvers")
    parser.add_argument("--iterations", type=int, default=32, help="yinyang's, for each seed")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("typefuzz-bench"))
    options = parser.parse_args()
    options.solver = options.solver or ["z3@4.8.12", "z3@5.4.0"]
    return options


def draw_seeds(options):
    folder = options.out / "seeds"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    every = sorted(p for p in options.seeds.rglob("*.smt2") if p.stat().st_size <= options.largest)
    random.Random(1).shuffle(every)
    for number, path in enumerate(every[: options.files]):
        shutil.copy(path, folder / f"{number:04}.smt2")
    return folder


def cpu(command, seconds=None, **more):
    """Processor seconds of a command and all it starts; interrupted after a time, if one is given."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    try:
        output, _ = started.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        started.send_signal(signal.SIGINT)
        output, _ = started.communicate(timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, output.decode(errors="replace")


def making(options, seeds, strategy):
    """Mutants without solvers: each a text in memory, each one step from the one before, in chains of thirty."""
    files = len(list(seeds.iterdir()))
    counts = options.out / "made.json"
    spent, _ = cpu([options.yinyang / "bin" / "python", "-c", MAKING, seeds, strategy, options.each, counts])
    theirs = json.loads(counts.read_text())
    spent_by_us, output = cpu([options.mutants, seeds, "--strategy", strategy, "--chain", "--each", options.each])
    counted = json.loads(output.splitlines()[-1])
    ours = {"made": counted["mutants"], "distinct": counted["distinct"], "usable": counted["seeds used"]}
    for row, seconds in ((ours, spent_by_us), (theirs, spent)):
        row.update(cpu=seconds, per_second=row["made"] / seconds, distinct_per_second=row["distinct"] / seconds, usable_share=row["usable"] / files)
    return {"auspex": ours, "yinyang": theirs}


def testing(options, seeds, strategy):
    """Mutants with solvers, for the same time on one worker."""
    work = options.out / "yinyang"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    counts = work / "counts.json"
    command = ";".join(str(processes.program(solver)) for solver in options.solver)
    theirs_program = options.yinyang / "bin" / strategy
    # Seeds that it cannot read may end it: then it starts again, as long as there is time.
    counted, spent, end = {}, 0, time.monotonic() + options.seconds
    while (left := end - time.monotonic()) > 1:
        counts.unlink(missing_ok=True)
        used, _ = cpu([options.yinyang / "bin" / "python", "-c", COUNTING, counts, theirs_program, "-t", "2", "-i", options.iterations, command, seeds],
                      left, cwd=work)
        spent += used
        for key, value in json.loads(counts.read_text()).items():
            if isinstance(value, (int, float)):
                counted[key] = counted.get(key, 0) + value
    calls = max(counted["solver_calls"], 1)
    theirs = {"tested": counted["mutants"], "cpu": spent, "per_second": counted["mutants"] / spent,
              "calls": counted["solver_calls"], "answered_per_second": counted["effective_calls"] / spent,
              "answered_share": counted["effective_calls"] / calls,
              "bugs": counted["crashes"] + counted["soundness"]}
    folder = options.out / "campaign"
    shutil.rmtree(folder, ignore_errors=True)
    solvers = [word for solver in options.solver for word in ("--solver", solver)]
    spent, _ = cpu([options.auspex, "fuzz", "--no-memory", *solvers, "--seeds", seeds, "--strategy", strategy, "--workers", "1", "--no-reduce", "--bugs-only",
                    "--plain", "--timeout", "2", "--time", f"{options.seconds}s", "--seed", "1", "--out", folder])
    status = json.loads(subprocess.run([str(options.auspex), "status", str(folder), "--json"], capture_output=True).stdout)
    tally = status["tally"]
    # What the newest release refuses is ill-formed; an older one may only not know an operator yet.
    newest = [answers for name in tally["solvers"] if options.solver[-1].replace("@", " ") in name
              for answers in [tally["solvers"][name]["answers"]]]
    refused = sum(answers.get("rejected", 0) for answers in newest)
    asked = max(sum(sum(answers.values()) for answers in newest), 1)
    every = [answers["answers"] for answers in tally["solvers"].values()]
    calls = sum(sum(answers.values()) for answers in every)
    # As yinyang counts: neither refused nor out of time.
    answered = calls - sum(answers.get(word, 0) for answers in every for word in ("rejected", "timeout"))
    ours = {"tested": tally["cases"], "cpu": spent, "per_second": tally["cases"] / spent,
            "calls": calls, "answered_per_second": answered / spent, "answered_share": answered / calls,
            "refused_share": refused / asked, "bugs": sum(status["classes"].values())}
    return {"auspex": ours, "yinyang": theirs}


def table(results):
    for strategy, parts in results.items():
        print(f"\n{strategy}")
        for part, rows in parts.items():
            for name, row in rows.items():
                shown = "  ".join(f"{key} {value:.4g}" for key, value in row.items())
                print(f"  {part:<8} {name:<8} {shown}")
            for key in ("per_second", "distinct_per_second", "answered_per_second"):
                if key in rows["auspex"]:
                    times = rows["auspex"][key] / max(rows["yinyang"][key], 1e-9)
                    print(f"  {part:<8} {key} {times:.1f} times as many")


def plot(results, path):
    """Bars of mutants per processor second, logarithmic."""
    import math
    rows = [(f"{strategy}, {part}: {name}", row["per_second"], name)
            for strategy, parts in results.items() for part, pair in parts.items() for name, row in pair.items()]
    most = max(math.log10(1 + value) for _, value, _ in rows) or 1
    height = 26 * len(rows) + 40
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="680" height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="680" height="{height}" fill="white"/><text x="10" y="20">mutants per processor second, logarithmic</text>']
    for at, (label, value, name) in enumerate(rows):
        long = 340 * math.log10(1 + value) / most
        colour = "#1b7837" if name == "auspex" else "#762a83"
        y = 34 + 26 * at
        parts.append(f'<text x="220" y="{y + 14}" text-anchor="end">{label}</text><rect x="230" y="{y}" width="{long:.0f}" height="18" fill="{colour}"/>'
                     f'<text x="{236 + long:.0f}" y="{y + 14}">{value:,.0f}</text>')
    path.write_text("\n".join(parts) + "</svg>\n")


def main():
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    options.out, options.auspex = options.out.resolve(), options.auspex.resolve()
    options.yinyang, options.mutants = options.yinyang.resolve(), options.mutants.resolve()
    seeds = draw_seeds(options)
    subprocess.run([str(options.auspex), "solvers", "install", *options.solver], check=True, stdout=sys.stderr)
    results = {}
    for strategy in ("typefuzz", "opfuzz"):
        results[strategy] = {"making": making(options, seeds, strategy), "testing": testing(options, seeds, strategy)}
        (options.out / "results.json").write_text(json.dumps(results, indent=1))
    table(results)
    plot(results, options.plot or options.out / "typefuzz.svg")


if __name__ == "__main__":
    main()
