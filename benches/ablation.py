#!/usr/bin/env python3
"""What the parts of a campaign are worth: groups of findings with everything, with one strategy, and without a part.

    benches/ablation.py --release z3@4.8.17 --release cvc5@1.1.2+plain [--seeds DIR]… [--time 150] [--repeat 3] [--row NAME]…

A row is `all`, a strategy by name, or `without schedule` (equal shares), `without silence` (known bugs are confirmed again),
`without theories` (no blocks about one theory), `without options`, `without sweep` (options are drawn, and no value is sure
of its turn). Without --row there are all and `construct`.
Every campaign has one worker and a new folder, and uses nothing of earlier campaigns (--no-memory). The repetitions differ in
the seed. Groups are those of `auspex findings`; disagreements, slowness and incompleteness do not count.
The result is a table with the groups and the share of worker time in solvers on cases of each campaign, and in how many
campaigns `all` found at least as many groups as the best single strategy.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import tempfile

LESSER = ("disagreement", "incompleteness", "slowness")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--auspex", type=pathlib.Path, default=pathlib.Path("target/release/auspex"))
    parser.add_argument("--release", action="append", required=True, help="z3@4.8.17 (may be given several times)")
    parser.add_argument("--seeds", action="append", default=[])
    parser.add_argument("--time", type=int, default=150)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--row", action="append", default=[])
    parser.add_argument("--out", type=pathlib.Path)
    return parser.parse_args()


def options_of(row):
    """The options of `auspex fuzz` for a row of the table."""
    if row == "all":
        return ["--no-memory", "--no-seed-install"]
    if row == "without options":
        return ["--no-memory", "--no-seed-install", "--options", "none"]
    if row.startswith("without "):
        return ["--no-memory", "--no-seed-install", "--without", row.removeprefix("without ")]
    return ["--no-memory", "--no-seed-install", "--strategy", row]


def campaign(options, release, row, seed):
    """Groups, and the share of worker time in solvers on cases."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="auspex-ablation-"))
    auspex = str(options.auspex.resolve())
    out = folder / "campaign"
    seeds = [word for place in options.seeds for word in ("--seeds", place)]
    subprocess.run([auspex, "fuzz", "--no-memory", "--plain", "--quiet", "--workers", "1", "--time", f"{options.time}s", "--seed", str(seed),
                    "--solver", release, "--out", str(out), *seeds, *options_of(row)],
                   stdout=subprocess.DEVNULL)
    read = lambda *words: json.loads(subprocess.run([auspex, *words, "--json"], capture_output=True).stdout)
    groups = [one for one in read("findings", str(out)) if one["class"] not in LESSER]
    tally = read("status", str(out))["tally"]
    shutil.rmtree(folder)
    return {"groups": len(groups), "cases": tally["cases"], "asking": tally["times"].get("asking", 0) / max(1, sum(tally["times"].values()))}


def main():
    options = arguments()
    rows = options.row or ["all", "construct"]
    single = [row for row in rows if row != "all" and not row.startswith("without ")]
    results, kept, compared = [], 0, 0
    print("| release | seed | " + " | ".join(rows) + " |", "|---" * (2 + len(rows)) + "|", sep="\n")
    for release in options.release:
        for seed in range(1, options.repeat + 1):
            found = {row: campaign(options, release, row, seed) for row in rows}
            results.append({"release": release, "seed": seed, **found})
            cells = [f"{one['groups']} ({one['cases']} cases, {100 * one['asking']:.0f} %)" for one in found.values()]
            print(f"| {release} | {seed} | " + " | ".join(cells) + " |", flush=True)
            if "all" in found and single:
                compared += 1
                kept += found["all"]["groups"] >= max(found[row]["groups"] for row in single)
    if compared:
        print(f"\nall found at least as many groups as the best single strategy in {kept} of {compared} campaigns")
    if options.out:
        options.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
