#!/usr/bin/env python3
"""Which known bugs of a release are found again in a fixed time, by us and by the peers.

    benches/rediscover.py BUGS --release z3@4.8.10 --seeds SEEDS [--strategy diver]… [--time 600] [--peers VENV [--processes 2]] [--tool NAME]… [--ablate]

BUGS is a folder with INDEX.tsv: a row for each script with its class, its theories and the releases that are wrong
(`wrong_unsat: z3-4.8.10 z3-4.8.12; crash: …`). Rows with the same classes, theories and last wrong release count as one bug.
A release has a bug if one of its scripts shows it there (`auspex bisect`): the index goes by what releases say of themselves
and has not tried every release; listed bugs that do not show are counted apart.
For each release a campaign runs on two workers with the strategies that are named (all, if none is), and its findings
are reduced and grouped by the campaign itself. Each group is then asked of all releases in the index (`auspex bisect`).
It is a known bug if that has its class and either it is a script of that bug itself which was among the seeds, or the last wrong
release agrees and both have a theory in common (the one with most, if several fit); what else was found is listed as other bugs. What the peers (see peers.py; VENV has yinyang 0.3.0 and smtfuzz 0.2) call bugs is judged by the same
bisection. With --ablate there are more campaigns, one for each strategy alone, for diver without its parts and for
all without live sessions. The result is a table, a JSON file and a plot; what the JSON file has of other tools is kept,
so that each can be run by itself (--tool). With --unjudged groups are counted as other bugs, which takes no bisection.

    benches/rediscover.py BUGS --leave-out --release z3@4.8.14 --release cvc5@1.1.2+plain --seeds SEEDS [--time 600]

With --leave-out no seed is a known bug or a near relative of one (leave_out.py), only mutants count, and each miss has its reason.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys

import leave_out
import peers
import processes

# How a script shows that it is about a theory, in the words of the index.
THEORIES = {
    "int": r"\bInt\b", "real": r"\bReal\b", "bv": r"BitVec|#[bx]\d", "fp": r"FloatingPoint|\bFloat\d+|\bfp\.|RoundingMode",
    "arrays": r"\bArray\b", "strings": r"\bString\b|\bstr\.|RegLan|\bre\.", "seq": r"\bSeq\b|\bseq\.", "sets": r"\bSet\b|\bset\.",
    "bags": r"\bBag\b|\bbag\.", "datatypes": r"declare-(co)?datatype", "quant": r"\((forall|exists) ", "uf": r"declare-fun \S+ \([^)]",
}

# What Auspex also reports, but no known bug is of.
LESSER = ("disagreement", "incompleteness", "slowness")
STRATEGIES = ("construct", "approximate", "typefuzz", "opfuzz", "fuzzchick", "structure", "diver", "mirror", "fusion", "storm")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bugs", type=pathlib.Path)
    parser.add_argument("--auspex", type=pathlib.Path, default=pathlib.Path("target/release/auspex"))
    parser.add_argument("--release", action="append", required=True, help="z3@4.8.10 (may be given several times)")
    parser.add_argument("--beside", action="append", default=[], help="another solver to compare with, trusted in bisections")
    parser.add_argument("--seeds", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--strategy", action="append", default=[])
    parser.add_argument("--time", type=int, default=600, help="seconds: by the clock for a campaign, of processor time for each process of a peer")
    parser.add_argument("--seed", type=int, default=1, help="of the campaign, and the number of a peer's first process")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--ablate", action="store_true", help="also each strategy alone, and parts left out")
    parser.add_argument("--peers", type=pathlib.Path, help="a virtual environment with yinyang and smtfuzz, to run as well")
    parser.add_argument("--processes", type=int, default=2, help="of each peer")
    parser.add_argument("--tool", action="append", default=[], help="run only these: auspex, another variant by its name, or a peer")
    parser.add_argument("--unjudged", action="store_true", help="only count groups, without asking which are known bugs")
    parser.add_argument("--leave-out", action="store_true", help="hold known bugs and their relatives back from the seeds")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("rediscover"))
    return parser.parse_args()


def number(version):
    return [int(part) for part in re.findall(r"\d+", version)]


def index(folder):
    """For each solver its releases, and for each known bug (classes, theories, last wrong release) its scripts."""
    releases, bugs = {}, {}
    with open(folder / "INDEX.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            wrong = {}
            for part in row["wrong_releases"].split(";"):
                kind, _, names = part.partition(":")
                for name in names.split():
                    solver, _, version = name.rpartition("-")
                    releases.setdefault(solver, set()).add(version)
                    kinds, versions = wrong.setdefault(solver, (set(), []))
                    kinds.add(kind.strip().replace("_", "-"))
                    versions.append(version)
            for solver, (kinds, versions) in wrong.items():
                last = max(versions, key=number)
                key = (solver, "/".join(sorted(kinds)), row["theories"], last)
                bugs.setdefault(key, {"versions": set(), "scripts": [], "texts": set()})
                bugs[key]["versions"].update(versions)
                bugs[key]["scripts"].append(row["id"])
                script = folder / "scripts" / f"{row['id']}.smt2"
                bugs[key]["texts"].update([plain(script.read_text(errors="replace"))] if script.exists() else [])
    return {solver: sorted(all_of, key=number) for solver, all_of in releases.items()}, bugs


def run(command):
    """The output of a command, and processor seconds."""
    before = processes.spent()
    ended = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if ended.returncode < 0:
        raise SystemExit(f"{' '.join(map(str, command))} died of signal {-ended.returncode}: {ended.stderr[-500:].decode(errors='replace')}")
    return ended.stdout.decode(errors="replace"), processes.spent() - before


def theories(script):
    return sorted(name for name, pattern in THEORIES.items() if re.search(pattern, script)) or ["core"]


def parts(spec):
    """`cvc5@1.1.2+plain` is `cvc5+plain`, and its release is `1.1.2`."""
    name, _, rest = spec.partition("@")
    release, plus, tier = rest.partition("+")
    return name + plus + tier, release


def standings(options, what, solver, releases):
    """The releases that are wrong about a script, oldest first."""
    trusted = [word for name in options.beside for word in ("--trusted", name)]
    output, _ = run([options.auspex, "bisect", what, "--solver", solver, "--releases", ",".join(releases), *trusted,
                     "--timeout", "5", "--quiet", "--json"])
    try:
        rows = json.loads(output)["releases"]
    except (ValueError, KeyError):
        return []
    return sorted((row for row in rows if row["standing"] not in ("-", "right")), key=lambda row: number(row["version"]))


def bisected(options, what, solver, releases):
    """How a script stands with releases: the last wrong one, and the class there."""
    wrong = standings(options, what, solver, releases)
    return (wrong[-1]["version"], wrong[-1]["standing"]) if wrong else None


def has(bug, release):
    """A release has a bug if it lies between two that were seen to be wrong: not every release was tried on every script."""
    return number(min(bug["versions"], key=number)) <= number(release) <= number(max(bug["versions"], key=number))


def plain(text):
    """A script without comments and layout."""
    return " ".join(re.sub(r";[^\n]*", "", text).split())


def known(bugs, solver, release, group):
    """The known bugs of a release that a group of findings most likely is: those whose scripts were among the seeds that are
    wrong by themselves, or of those with its class and last wrong release the one that has most theories in common with it."""
    last, kind, theories = group["last"], group["class"], set(group["theories"])
    own = {key for key, bug in bugs.items() if bug["texts"] & set(group["seeds"]) and kind in key[1].split("/")}
    if own:
        return own
    best, most = set(), 0
    for key, bug in bugs.items():
        its = set(key[2].split(",")) - {"core"} or {"core"}
        likeness = len(its & theories) / len(its | theories)
        if key[0] == solver and kind in key[1].split("/") and key[3] == last and has(bug, release) and likeness > most:
            best, most = {key}, likeness
    return best


def shown(options, bugs, solver, release):
    """The known bugs that show in a release when their scripts are run, and those that do not."""
    listed = [key for key, bug in bugs.items() if key[0] == solver and has(bug, release)]

    def shows(key):
        scripts = (options.bugs / "scripts" / f"{name}.smt2" for name in bugs[key]["scripts"])
        return any(bisected(options, script, solver, [release]) for script in scripts if script.exists())

    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        seen = list(pool.map(shows, listed))
    return ([key for key, there in zip(listed, seen) if there is wanted] for wanted in (True, False))


def variants(options):
    """The campaigns to run: a name, the strategies (all, if none is named) and further options of each."""
    yield "auspex", options.strategy, []
    if options.ablate:
        for name in STRATEGIES:
            yield name, [name], []
        yield "diver without weights", ["diver:uniform"], []
        yield "diver without fresh variables", ["diver:simple"], []
        yield "without live sessions", options.strategy, ["--mode", "fresh"]


def campaign(options, spec, folder, strategies, more):
    """Groups of findings: class, theories, strategy, when, script."""
    shutil.rmtree(folder, ignore_errors=True)
    more = more + [word for name in options.beside for word in ("--solver", name)]
    more += [word for place in options.seeds for word in ("--seeds", place)]
    more += [word for name in strategies for word in ("--strategy", name)]
    _, cpu = run([options.auspex, "fuzz", "--solver", spec, *more, "--time", f"{options.time}s", "--workers", options.workers,
                  "--seed", options.seed, "--no-memory", "--plain", "--quiet", "--out", folder])
    status = json.loads(run([options.auspex, "status", folder, "--json"])[0])
    findings = json.loads(run([options.auspex, "findings", folder, "--json"])[0])
    accused = spec.partition("+")[0].replace("@", " ")
    groups = {}
    for one in sorted(findings, key=lambda f: f["found"]):
        if one["class"] not in LESSER and any(accused in title for title in one["accused"]):
            groups.setdefault(one["same_as"] or one["fingerprint"], []).append(one)
    began = min((f["found"] for f in findings), default=0)
    rows = []
    for members in groups.values():
        best = min(members, key=lambda f: len(f["reduced"] or f["script"]))
        script = best["reduced"] or best["script"]
        alone = [one["seeds"][0]["text"] for one in members if one["origin"]["strategy"] == "seeds" and one["seeds"]]
        rows.append({"class": best["class"], "theories": theories(script), "id": best["id"], "seeds": [plain(text) for text in alone],
                     "seeds-only": all(one["origin"]["strategy"] == "seeds" for one in members),
                     "strategy": members[0]["origin"]["strategy"], "case": int(re.search(r"case=(\d+)", members[0]["replay"])[1]), "after": members[0]["found"] - began,
                     "place": str(folder / "findings" / best["id"]), "script": script})
    lesser = [one["reduced"] or one["script"] for one in findings if one["class"] in LESSER]
    return {"cases": status["tally"]["cases"], "cpu": cpu, "groups": rows, "lesser": lesser, "status": status}


def peer(options, spec, folder, tool):
    """What a peer calls bugs, as groups of one script each."""
    found = peers.run(tool, options.peers.resolve(), spec, options.beside, options.seeds, folder, options.time,
                      range(options.seed, options.seed + options.processes))
    rows = [{"class": None, "theories": theories(path.read_text(errors="replace")), "id": path.name, "strategy": tool, "after": 0, "seeds": [],
             "place": str(path), "script": path.read_text(errors="replace")} for path in found["scripts"]]
    return {"cases": found["calls"] // (1 + len(options.beside)), "cpu": found["cpu"], "groups": rows}


def judged(options, bugs, solver, release, panel, found):
    """Which known bugs the groups are, by bisection over all releases of the index."""
    again, others = set(), 0
    if options.unjudged:
        found["again"], found["others"] = [], len(found["groups"])
        return

    def standing(group):
        there = bisected(options, group["place"], solver, [release])
        return there and bisected(options, group["place"], solver, panel)

    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        standings = list(pool.map(standing, found["groups"]))
    for group, stands in zip(found["groups"], standings):
        if stands is None:
            continue
        group["last"], group["class"] = stands
        hits = known(bugs, solver, release, group)
        group["known"] = sorted(" ".join(hit[1:]) for hit in hits)
        again.update(hits)
        others += not hits
    found["again"], found["others"] = sorted(" ".join(key[1:]) for key in again), others


def table(results):
    tools = list(dict.fromkeys(name for result in results for name in result["runs"]))
    lines = ["| release | known | " + " | ".join(tools) + " |", "|---" * (2 + len(tools)) + "|"]
    for result in results:
        cells = []
        for name in tools:
            found = result["runs"].get(name)
            cells.append(f"{len(found['again'])} (and {found['others']} others), {found['cases']} cases, {found['cpu']:.0f} s" if found else "")
        lines.append(f"| {result['release']} | {len(result['known'])} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def plot(results, path):
    """One bar for each tool and release: the share of the known bugs that were found again."""
    bars = [(result["release"], name, len(found["again"]), len(result["known"])) for result in results for name, found in result["runs"].items()]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="680" height="{20 * len(bars) + 20}" font-family="sans-serif" font-size="12">',
             f'<rect width="680" height="{20 * len(bars) + 20}" fill="white"/>']
    for number, (release, name, again, all_of) in enumerate(bars):
        y, width = 20 * number + 10, 320 * again / max(1, all_of)
        colour = "#2a6fbb" if name == "auspex" else "#b0b0b0"
        parts.append(f'<text x="4" y="{y + 12}">{release}</text><text x="110" y="{y + 12}">{name}</text>'
                     f'<rect x="200" y="{y}" width="{width:.0f}" height="14" fill="{colour}"/>'
                     f'<text x="{210 + width:.0f}" y="{y + 12}">{again} of {all_of}</text>')
    path.write_text("\n".join(parts) + "</svg>\n")


def earlier(options):
    """What the JSON file has already, by release."""
    path = options.out / "results.json"
    return {result["release"]: result for result in json.loads(path.read_text())} if path.exists() else {}


def runs_of(options, spec):
    """Runs the tools one after the other."""
    for name, strategies, more in variants(options):
        if name in options.tool or not options.tool:
            yield name, campaign(options, spec, options.out / f"{spec}-{name.replace(' ', '-')}", strategies, more)
    for name in peers.TOOLS if options.peers else ():
        if name in options.tool or not options.tool:
            yield name, peer(options, spec, options.out / f"{spec}-{name}", name)


def explain(result, found):
    """When each known bug was found, and which were not."""
    for group in found["groups"]:
        if group.get("known"):
            print(f"{group['after']:5} s  case {group['case']:<7} {group['strategy']:<12} {group['class']:<14}"
                  f" until {group['last']:<8} {','.join(group['theories'])}", flush=True)
    for name in result["known"]:
        if name not in found["again"]:
            print(f"not found: {name}", flush=True)


def left_out(options, spec, releases, bugs, known):
    """A campaign without the known bugs and their relatives among its seeds, and which of them it found."""
    solver, release = parts(spec)
    name = spec.partition("@")[0]
    panel = sorted({*releases.get(name, []), release}, key=number)
    run([options.auspex, "solvers", "install", *(f"{name}@{version}" for version in panel), *options.beside])
    there = [bug for key, bug in bugs.items() if key[0] == name and has(bug, release)]
    tools = sys.modules[__name__]
    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        rows = pool.map(lambda bug: leave_out.described(options, tools, bug, spec, panel, known), there)
        present = [row for row in rows if row]
    found = campaign(options, spec, options.out / spec, options.strategy, [])
    for group in found["groups"]:
        group["operators"] = sorted(leave_out.operators(group["script"], known))
    found["lesser"] = [{"operators": sorted(leave_out.operators(text, known))} for text in found["lesser"]]
    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        spans = pool.map(lambda group: leave_out.span(standings(options, group["place"], solver, panel)), found["groups"])
        for group, span in zip(found["groups"], spans):
            group["span"] = span
    return {"release": spec, "cases": found["cases"], "cpu": found["cpu"], "groups": found["groups"],
            "bugs": leave_out.report(options, spec, present, found)}


def leave_out_all(options, releases, bugs):
    known = leave_out.names_of_operators(run, options)
    options.seeds = leave_out.seeds(options, known)
    path = options.out / "left-out.json"
    results = json.loads(path.read_text()) if path.exists() else []
    for spec in options.release:
        results = [one for one in results if one["release"] != spec] + [left_out(options, spec, releases, bugs, known)]
        leave_out.save(path, results)
        print(leave_out.table(results[-1:]), flush=True)
    print(leave_out.table(results), flush=True)


def rediscover_all(options, releases, bugs):
    for spec in options.release:
        solver, _, release = spec.partition("@")
        panel = [release] if options.unjudged else sorted({*releases.get(solver, []), release}, key=number)
        run([options.auspex, "solvers", "install", *(f"{solver}@{version}" for version in panel), *options.beside])
        result = earlier(options).get(spec)
        if result is None and options.unjudged:
            result = {"release": spec, "known": [], "not shown": [], "runs": {}}
        elif result is None:
            there, hidden = ([" ".join(key[1:]) for key in keys] for keys in shown(options, bugs, solver, release))
            result = {"release": spec, "known": there, "not shown": hidden, "runs": {}}
        present = {key: bug for key, bug in bugs.items() if key[0] == solver and " ".join(key[1:]) in result["known"]}
        for name, found in runs_of(options, spec):
            judged(options, present, solver, release, panel, found)
            if name == "auspex":
                explain(result, found)
            results = earlier(options)
            results.setdefault(spec, result)["runs"][name] = found
            (options.out / "results.json").write_text(json.dumps(list(results.values()), indent=1))
    results = list(earlier(options).values())
    print(table(results), flush=True)
    plot(results, options.out / "rediscover.svg")


def main():
    options = arguments()
    options.auspex = options.auspex.resolve()
    options.seeds = [place.resolve() for place in options.seeds]
    options.out.mkdir(parents=True, exist_ok=True)
    releases, bugs = index(options.bugs)
    if options.leave_out:
        leave_out_all(options, releases, bugs)
    else:
        rediscover_all(options, releases, bugs)


if __name__ == "__main__":
    main()
