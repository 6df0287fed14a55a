"""Known bugs that are held back: no seed is near them, so only mutants can find them again.

Of the seeds a campaign loses every known bug of every release, and whatever shares half of a bug's assertions up to names
and constants (relatives.py). A group of findings is a known bug if class, first and last wrong release agree and the
operators of both reduced scripts do. Groups that only seeds themselves showed do not count.
"""
import json
import pathlib

from relatives import Relatives, alike, operators

# Reductions of known bugs, by processor seconds.
REDUCING = 40


def names_of_operators(run, options):
    return {row["name"] for row in json.loads(run([options.auspex, "ops", "--json"])[0])}


def scripts(options):
    return sorted((options.bugs / "scripts").glob("*.smt2"))


def seeds(options, known):
    """A folder with the seeds that are no relatives of any known bug, and how many were left out."""
    texts = [path.read_text(errors="replace") for path in scripts(options)]
    relatives, same = Relatives(texts, known), {" ".join(text.split()) for text in texts}
    folder, kept, left = options.out / "seeds", 0, 0
    for place in options.seeds:
        for path in sorted(place.rglob("*.smt2")):
            text = path.read_text(errors="replace")
            if relatives.of(text) or " ".join(text.split()) in same:
                left += 1
                continue
            kept += 1
            copy = folder / place.name / path.relative_to(place)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    print(f"{kept} seeds, {left} left out", flush=True)
    return [folder]


def described(options, tools, bug, spec, panel, known):
    """What a known bug is like, or none if it does not show. What was found out is kept for the next run in the same folder."""
    path = options.out / "known" / f"{spec}-{bug['scripts'][0]}.json"
    if not path.exists():
        row = look(options, tools, bug, spec, panel, known)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(row))
    return json.loads(path.read_text())


def look(options, tools, bug, spec, panel, known):
    """Class, first and last wrong release, and operators of a known bug, by its first script that shows it."""
    solver, release = tools.parts(spec)
    for name in bug["scripts"]:
        script = options.bugs / "scripts" / f"{name}.smt2"
        if not script.exists() or not tools.bisected(options, script, solver, [release]):
            continue
        rows = tools.standings(options, script, solver, panel)
        reduced = options.out / "known" / f"{spec}-{name}.smt2"
        reduced.parent.mkdir(parents=True, exist_ok=True)
        if not reduced.exists():
            tools.run([options.auspex, "reduce", script, "--solver", spec, "--trusted", "z3@5.4.0", "--trusted", "cvc5@1.4.2+plain",
                       "--budget", REDUCING, "--quiet", "-o", reduced])
        text = (reduced if reduced.exists() else script).read_text(errors="replace")
        return {"name": name, "span": span(rows), "classes": sorted({row["standing"] for row in rows}), "script": text,
                "operators": sorted(operators(text, known))}
    return None


def span(rows):
    """First and last wrong release."""
    return [rows[0]["version"], rows[-1]["version"]] if rows else None


def is_same(group, bug):
    """Whether a group of findings is a known bug."""
    return group["class"] in bug["classes"] and group["span"] == bug["span"] and alike(set(group["operators"]), set(bug["operators"]))


def reason(bug, groups, lesser, status):
    """Why a known bug was not found, in a line."""
    mine = set(bug["operators"])
    near = [group for group in groups if group["span"] and alike(set(group["operators"]), mine)]
    if any(group["seeds-only"] for group in near if is_same(group, bug)):
        return "shown by a seed only"
    if near:
        return "grouped elsewhere? " + ", ".join(f"{group['class']} {'–'.join(group['span'])}" for group in near[:3])
    if any(mine <= set(one["operators"]) for one in lesser):
        return "seen as a disagreement, not judged"
    met = status.get("operators")
    if met is None:
        return "no finding has its operators"
    never = sorted(name for name in mine if name not in met)
    if never:
        return "never met in a case: " + " ".join(never)
    rarest = min(mine, key=lambda name: met[name]["answered"])
    row = met[rarest]
    if row["answered"] * 4 < row["asked"]:
        return f"met, mostly without an answer: {rarest} {row['answered']} of {row['asked']}"
    return f"met and answered rightly; rarest is {rarest}, {row['answered']} answers"


def report(options, spec, bugs, found):
    """Which of the bugs came again, and why the others did not."""
    rows = []
    for bug in bugs:
        hits = [group for group in found["groups"] if group["span"] and is_same(group, bug) and not group["seeds-only"]]
        if hits:
            first = min(hits, key=lambda group: group["after"])
            rows.append({**bug, "found": True, "why": f"{first['strategy']}, after {first['after']} s, {first['id']}"})
        else:
            rows.append({**bug, "found": False, "why": reason(bug, found["groups"], found["lesser"], found["status"])})
    return rows


def table(results):
    """One line for each release, then one for each miss."""
    lines = ["| release | bugs that show | found by mutants | cases | processor seconds |", "|---|---|---|---|---|"]
    for one in results:
        hits = sum(row["found"] for row in one["bugs"])
        lines.append(f"| {one['release']} | {len(one['bugs'])} | {hits} | {one['cases']} | {one['cpu']:.0f} |")
    every = [row for one in results for row in one["bugs"]]
    share = 100 * sum(row["found"] for row in every) / max(1, len(every))
    lines.append(f"| all | {len(every)} | {sum(row['found'] for row in every)} ({share:.0f} %) | {sum(one['cases'] for one in results)} | |")
    lines += ["", "| release | missed | class | wrong in | operators | why |", "|---|---|---|---|---|---|"]
    for one in results:
        for row in one["bugs"]:
            if not row["found"]:
                lines.append(f"| {one['release']} | {row['name']} | {'/'.join(row['classes'])} | {'–'.join(row['span'])} | "
                             f"{' '.join(row['operators'])} | {row['why']} |")
    return "\n".join(lines)


def save(path, results):
    pathlib.Path(path).write_text(json.dumps(results, indent=1))
