#!/usr/bin/env python3
"""Which known bugs of a release are found again in a fixed time, by us and by yinyang.

    benches/rediscover.py BUGS --release z3@4.8.10 --seeds SEEDS [--strategy diver]… [--time 600] [--yinyang VENV]

BUGS is a folder with INDEX.tsv: a row for each script with its class, its theories and the releases that are wrong
(`wrong_unsat: z3-4.8.10 z3-4.8.12; crash: …`). Rows with the same class, theories and last wrong release count as one bug.
For each release a campaign runs on two workers with the strategies that are named (all, if none is), and its findings
are reduced and grouped by the campaign itself. Each group is then asked of all releases in the index (`auspex bisect`).
It is a known bug if class and last wrong release agree and both have a theory in common; what else was found is listed
as other bugs. yinyang's findings are judged by the same bisection. The result is a table and a JSON file.
"""
import argparse
import csv
import json
import pathlib
import re
import resource
import shutil
import signal
import subprocess

# How the index calls our theories.
THEORIES = {"ints": "int", "reals": "real", "sequences": "seq", "functions": "uf", "regex": "strings"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bugs", type=pathlib.Path)
    parser.add_argument("--auspex", type=pathlib.Path, default=pathlib.Path("target/release/auspex"))
    parser.add_argument("--release", action="append", required=True, help="z3@4.8.10 (may be given several times)")
    parser.add_argument("--beside", action="append", default=[], help="another solver to compare with, trusted in bisections")
    parser.add_argument("--seeds", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--strategy", action="append", default=[])
    parser.add_argument("--time", type=int, default=600, help="seconds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--yinyang", type=pathlib.Path, help="a virtual environment with yinyang, to run as well")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("rediscover"))
    return parser.parse_args()


def number(version):
    return [int(part) for part in re.findall(r"\d+", version)]


def index(folder):
    """For each solver its releases, and for each known bug (class, theories, last wrong release) its scripts."""
    releases, bugs = {}, {}
    with open(folder / "INDEX.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            wrong = {}
            for part in row["wrong_releases"].split(";"):
                kind, _, names = part.partition(":")
                for name in names.split():
                    solver, _, version = name.rpartition("-")
                    releases.setdefault(solver, set()).add(version)
                    wrong.setdefault((solver, kind.strip().replace("_", "-")), []).append(version)
            for (solver, kind), versions in wrong.items():
                last = max(versions, key=number)
                key = (solver, kind, row["theories"], last)
                bugs.setdefault(key, {"versions": set(), "scripts": []})
                bugs[key]["versions"].update(versions)
                bugs[key]["scripts"].append(row["id"])
    return {solver: sorted(all_of, key=number) for solver, all_of in releases.items()}, bugs


def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command, seconds=None, **more):
    """The output of a command, and processor seconds; interrupted after a time, if one is given."""
    before = spent()
    started = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **more)
    try:
        output, _ = started.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        started.send_signal(signal.SIGINT)
        output, _ = started.communicate(timeout=120)
    return output.decode(errors="replace"), spent() - before


def bisected(options, what, solver, releases):
    """How a script stands with each release: the last wrong one, and the class there."""
    trusted = [word for name in options.beside for word in ("--trusted", name)]
    output, _ = run([options.auspex, "bisect", what, "--solver", solver, "--releases", ",".join(releases), *trusted,
                     "--timeout", "5", "--quiet", "--json"])
    try:
        rows = json.loads(output)["releases"]
    except (ValueError, KeyError):
        return None
    wrong = [row for row in rows if row["standing"] not in ("-", "right")]
    return max(((row["version"], row["standing"]) for row in wrong), key=lambda pair: number(pair[0]), default=None)


def known(bugs, solver, release, last, kind, theories):
    """The known bugs of a release that a finding may be."""
    for key, bug in bugs.items():
        its = set(key[2].split(","))
        shared = its & theories or not (its - {"core"}) and not (theories - {"core"})
        if key[0] == solver and key[1] == kind and key[3] == last and release in bug["versions"] and shared:
            yield key


def campaign(options, spec, folder):
    """Groups of findings: class, theories, strategy, when, script."""
    shutil.rmtree(folder, ignore_errors=True)
    more = [word for name in options.beside for word in ("--solver", name)]
    more += [word for place in options.seeds for word in ("--seeds", place)]
    more += [word for name in options.strategy for word in ("--strategy", name)]
    _, cpu = run([options.auspex, "fuzz", "--solver", spec, *more, "--time", f"{options.time}s", "--workers", "2",
                  "--seed", options.seed, "--plain", "--quiet", "--out", folder])
    status = json.loads(run([options.auspex, "status", folder, "--json"])[0])
    findings = json.loads(run([options.auspex, "findings", folder, "--json"])[0])
    accused = spec.replace("@", " ")
    groups = {}
    for one in sorted(findings, key=lambda f: f["found"]):
        if any(accused in title for title in one["accused"]):
            groups.setdefault(one["same_as"] or one["fingerprint"], []).append(one)
    began = min((f["found"] for f in findings), default=0)
    rows = []
    for members in groups.values():
        best = min(members, key=lambda f: len(f["reduced"] or f["script"]))
        theories = set(best["bucket"].rpartition(" ")[2].split("+"))
        rows.append({"class": best["class"], "theories": sorted(THEORIES.get(t, t) for t in theories), "id": best["id"],
                     "strategy": members[0]["origin"]["strategy"], "after": members[0]["found"] - began,
                     "place": str(folder / "findings" / best["id"]), "script": best["reduced"] or best["script"]})
    return {"cases": status["tally"]["cases"], "cpu": cpu, "groups": rows}


def peer(options, spec, folder, program):
    """What yinyang writes down, as groups of one script each."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    cache = pathlib.Path.home() / ".cache" / "auspex" / "solvers"
    solvers = [next(p for p in (cache / name.replace("@", "-")).rglob(name.partition("@")[0]) if p.is_file() and p.stat().st_mode & 1)
               for name in (spec, *options.beside)]
    _, cpu = run([options.yinyang.resolve() / "bin" / program, "-t", "2", ";".join(map(str, solvers)), *options.seeds],
                 options.time, cwd=folder)
    rows = [{"class": None, "theories": [], "id": path.name, "strategy": program, "after": 0, "place": str(path), "script": path.read_text(errors="replace")}
            for path in sorted((folder / "bugs").glob("*.smt2"))]
    return {"cases": None, "cpu": cpu, "groups": rows}


def main():
    options = arguments()
    options.auspex = options.auspex.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    releases, bugs = index(options.bugs)
    results = []
    for spec in options.release:
        solver, _, release = spec.partition("@")
        panel = sorted({*releases.get(solver, []), release}, key=number)
        run([options.auspex, "solvers", "install", *(f"{solver}@{version}" for version in panel), *options.beside])
        there = [key for key, bug in bugs.items() if key[0] == solver and release in bug["versions"]]
        runs = {"auspex": campaign(options, spec, options.out / spec)}
        if options.yinyang:
            for program in ("typefuzz", "opfuzz"):
                runs[program] = peer(options, spec, options.out / f"{spec}-{program}", program)
        print(f"\n{spec}: {len(there)} known bugs in the index")
        for name, found in runs.items():
            again, others = set(), []
            for group in found["groups"]:
                standing = bisected(options, group["place"], solver, panel)
                if standing is None:
                    continue
                group["last"], group["class"] = standing
                hits = list(known(bugs, solver, release, standing[0], standing[1], set(group["theories"])))
                group["known"] = [" ".join(key[1:]) for key in hits]
                again.update(hits)
                if not hits:
                    others.append(group)
            found["again"] = sorted(" ".join(key[1:]) for key in again)
            print(f"  {name}: {len(again)} of them again, {len(others)} other groups; cases {found['cases']}, {found['cpu']:.0f} s of processor")
            for group in found["groups"]:
                if group.get("known"):
                    print(f"    {group['after']:5} s  {group['strategy']:<12} {group['class']:<14} until {group['last']:<8} {','.join(group['theories'])}")
        results.append({"release": spec, "known": [" ".join(key[1:]) for key in there], "runs": runs})
        (options.out / "results.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
