#!/usr/bin/env python3
"""Code of z3 that seeds reach, and that their mutants reach besides: lines, functions, branches.

    benches/coverage.py SEEDS --build FOLDER [--auspex target/release/auspex] [--yinyang VENV] [--out FOLDER] [--strategy NAME]…

FOLDER gets z3 4.13.0 from its source package, built with gcc and --coverage (about 45 processor minutes, once;
needs gcc, gcov and pip). The papers' setting: 100 seeds, 10 mutants of each. Every script runs in a process of
its own, for half a second of z3's time. What a process reached that died or had to be killed is lost, for all
tools alike. Seeds count along with their mutants. The result is a table, a JSON file and a plot (SVG).
What the output folder has already is not made or run again.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import typefuzz

PACKAGE = "z3-solver==4.13.0.0"
RELEASE = "z3@4.13.0"
# `mirror` needs cores on which two makes agree.
OTHER = {"mirror": ["--solver", "cvc5@1.4.2"]}
FLAGS = "-O1 --coverage -fprofile-update=single"
SEEDED = ("typefuzz", "opfuzz", "fuzzchick", "structure", "approximate", "diver", "mirror", "fusion", "storm")
PARTS = ("lines", "functions", "branches")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seeds", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="where z3 is built")
    parser.add_argument("--auspex", type=pathlib.Path, default=pathlib.Path("target/release/auspex"))
    parser.add_argument("--yinyang", type=pathlib.Path, help="its virtual environment")
    parser.add_argument("--files", type=int, default=100, help="how many seeds")
    parser.add_argument("--largest", type=int, default=4096, help="bytes of the largest seed")
    parser.add_argument("--each", type=int, default=10, help="mutants of each seed")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("coverage-bench"))
    parser.add_argument("--strategy", action="append", default=[], help="only this strategy, such as approximate:pst (may be given several times)")
    return parser.parse_args()


def call(*words, **more):
    subprocess.run([str(word) for word in words], check=True, stdout=sys.stderr, **more)


def build(folder):
    """z3 with counters, and the folder of its sources."""
    source = folder / PACKAGE.replace("==", "-") / "core"
    tree = folder / "tree"
    if (tree / "z3").exists():
        return tree.resolve(), source.resolve()
    tools = folder / "tools"
    if not tools.exists():
        call(sys.executable, "-m", "venv", tools)
        call(tools / "bin" / "pip", "install", "--quiet", "setuptools", "wheel", "cmake", "ninja")
    path = dict(os.environ, PATH=f"{tools / 'bin'}:{os.environ['PATH']}")
    if not source.exists():
        call(tools / "bin" / "pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps", "--no-build-isolation", PACKAGE, "-d", folder, env=path)
        call("tar", "xf", next(folder.glob("*.tar.gz")), "-C", folder)
    call("cmake", "-G", "Ninja", "-S", source, "-B", tree, "-DCMAKE_BUILD_TYPE=", f"-DCMAKE_CXX_FLAGS={FLAGS}", "-DZ3_BUILD_LIBZ3_SHARED=OFF",
         "-DZ3_ENABLE_EXAMPLE_TARGETS=OFF", env=path)
    call("ninja", "-C", tree, "shell", env=path)
    return tree.resolve(), source.resolve()


def make(options, seeds, out):
    """A folder of scripts for every way of making them."""
    count = options.files * options.each
    made = {"seeds": seeds}
    for strategy in options.strategy or SEEDED:
        made[strategy] = out / strategy.replace(":", "-")
        if made[strategy].exists():
            continue
        # Chains have sixteen stages, and one seed comes after another.
        call(options.auspex, "mutate", seeds, "--strategy", strategy, "--learn", "--solver", RELEASE, *OTHER.get(strategy, []), "--count", max(16, options.each) * options.files,
             "--out", made[strategy])
        keep(made[strategy], count)
    if not options.strategy:
        made["construct"] = out / "construct"
    if "construct" in made and not made["construct"].exists():
        call(options.auspex, "generate", "--count", count, "--solver", RELEASE, "--out", made["construct"])
    for strategy in ("typefuzz", "opfuzz") if options.yinyang else ():
        name = f"yinyang {strategy}"
        made[name] = out / name.replace(" ", "-")
        if made[name].exists():
            continue
        made[name].mkdir()
        call(options.yinyang / "bin" / "python", "-c", typefuzz.MAKING, seeds, strategy, options.each, out / "made.json", made[name])
    return made


def keep(folder, count):
    """Leaves so many mutants, as many of each seed as there are."""
    of = {}
    for path in sorted(folder.rglob("*.smt2")):
        with open(path, errors="replace") as file:
            of.setdefault(file.readline().partition(" of ")[2].partition(",")[0], []).append(path)
    rounds = [path for row in itertools.zip_longest(*of.values()) for path in row if path]
    for path in rounds[count:]:
        path.unlink()


def run(tree, scripts, counters):
    """Runs z3 on each script; how many of these processes left no counters."""
    environment = dict(os.environ, GCOV_PREFIX=str(counters))

    def one(script):
        line = [tree / "z3", "-t:500", "-memory:2000", script]
        try:
            ended = subprocess.run(line, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20)
            return ended.returncode < 0
        except subprocess.TimeoutExpired:
            return True

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return sum(pool.map(one, scripts))


def reached(tree, source, counters):
    """All lines, functions and branches of z3's sources, and those that were reached."""
    here = counters / str(tree).lstrip("/")
    notes = sorted(tree.rglob("*.gcno"))
    for note in notes:
        beside = here / note.relative_to(tree)
        if not beside.exists():
            beside.parent.mkdir(parents=True, exist_ok=True)
            beside.symlink_to(note)

    def read(some):
        names = [str(here / note.relative_to(tree)) for note in some]
        ended = subprocess.run(["gcov", "-b", "-t", "--json-format", *names], capture_output=True, check=True)
        return [json.loads(line) for line in ended.stdout.splitlines() if line.startswith(b"{")]

    every, hit = ({part: set() for part in PARTS} for _ in range(2))
    batches = [notes[at : at + 20] for at in range(0, len(notes), 20)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for objects in pool.map(read, batches):
            for file in (file for one in objects for file in one["files"]):
                if str(source) in os.path.join(tree, file["file"]):
                    take(file, every, hit)
    return every, hit


def take(file, every, hit):
    name = file["file"]

    def note(part, key, count):
        every[part].add(key)
        if count:
            hit[part].add(key)

    for function in file["functions"]:
        note("functions", (name, function["start_line"], function["start_column"]), function["execution_count"])
    for line in file["lines"]:
        number = line["line_number"]
        note("lines", (name, number), line["count"])
        for at, branch in enumerate(line["branches"]):
            # Calls that may throw count as branches, too, but no input chooses them.
            if not branch["throw"]:
                note("branches", (name, number, at), branch["count"])


def together(results, names):
    return {part: set().union(*(results[name][part] for name in names)) for part in PARTS}


def table(rows, every):
    total = {part: len(every[part]) for part in PARTS}
    print(f"{'':<26}{'scripts':>8}{'lost':>6}" + "".join(f"{part:>18}" for part in PARTS))
    for name, row in rows.items():
        cells = "".join(f"{row[part]:>10,} {100 * row[part] / total[part]:5.1f} %" for part in PARTS)
        print(f"{name:<26}{row['scripts']:>8}{row['lost']:>6}{cells}")
    print(f"{'in all':<40}" + "".join(f"{total[part]:>10,}        " for part in PARTS))


def plot(rows, every, path):
    """Bars of the branches reached, with what the seeds reach by themselves."""
    height = 26 * len(rows) + 40
    seeds, most = rows["seeds"]["branches"], max(row["branches"] for row in rows.values())
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="680" height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="680" height="{height}" fill="white"/><text x="10" y="20">branches of z3 reached, of {len(every["branches"]):,}; grey: by the seeds alone</text>']
    for at, (name, row) in enumerate(rows.items()):
        y, long, grey = 34 + 26 * at, 380 * row["branches"] / most, 380 * seeds / most
        colour = "#762a83" if "yinyang" in name else "#1b7837"
        parts.append(f'<text x="190" y="{y + 14}" text-anchor="end">{name}</text><rect x="200" y="{y}" width="{long:.0f}" height="18" fill="{colour}"/>'
                     f'<rect x="200" y="{y}" width="{min(grey, long):.0f}" height="18" fill="#999"/><text x="{206 + long:.0f}" y="{y + 14}">{row["branches"]:,}</text>')
    path.write_text("\n".join(parts) + "</svg>\n")


def main():
    options = arguments()
    options.out, options.build = options.out.resolve(), options.build.resolve()
    for folder in (options.out, options.build):
        folder.mkdir(parents=True, exist_ok=True)
    tree, source = build(options.build)
    seeds = typefuzz.draw_seeds(options)
    scripts = options.out / "scripts"
    scripts.mkdir(exist_ok=True)
    made = make(options, seeds, scripts)
    results, counts, every = {}, {}, {}
    for name, folder in made.items():
        files = sorted(folder.rglob("*.smt2"))
        store = options.out / f"{folder.name}.pickle"
        if not store.exists():
            counters = options.out / "counters"
            shutil.rmtree(counters, ignore_errors=True)
            lost = run(tree, files, counters)
            store.write_bytes(pickle.dumps((lost, *reached(tree, source, counters))))
        lost, every, results[name] = pickle.loads(store.read_bytes())
        counts[name] = {"scripts": len(files), "lost": lost}
        print(f"{name}: {len(results[name]['lines']):,} lines by {len(files)} scripts", file=sys.stderr)
    shown = {"seeds": ["seeds"]}
    shown.update({name: ["seeds", name] for name in made if name != "seeds"})
    shown["Auspex, all together"] = [name for name in made if "yinyang" not in name]
    if options.yinyang:
        shown["yinyang, both"] = ["seeds", *(name for name in made if "yinyang" in name)]
    rows = {}
    for name, parts in shown.items():
        reach = together(results, parts)
        rows[name] = {part: len(reach[part]) for part in PARTS}
        for key in ("scripts", "lost"):
            rows[name][key] = sum(counts[part][key] for part in parts)
    (options.out / "results.json").write_text(json.dumps({"rows": rows, "all": {part: len(every[part]) for part in PARTS}}, indent=1))
    table(rows, every)
    plot(rows, every, options.out / "coverage.svg")


if __name__ == "__main__":
    main()
