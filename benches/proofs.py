"""Counts how the steps of solvers' proofs are decided, and how many altered steps are caught.

    benches/proofs.py census cpc --solver-command "cvc5" --other z3 --proofs 500 SEED…
    benches/proofs.py lies   cpc --solver-command "cvc5" --steps 10000 SEED…

FORMAT is cpc, alethe or z3. The solver gets each seed with a request for a proof; `auspex proof` judges it. `lies`, of
cpc and alethe only, alters a number, a polarity or a conclusion in some steps of each proof, and says what became of
each altered step.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

OPTIONS = "(set-option :produce-proofs true)\n"
MORE = {
    "cpc": "(set-option :proof-print-conclusion true)\n",
    "alethe": "(set-option :proof-format-mode alethe)\n(set-option :proof-print-conclusion true)\n",
    "z3": "",
}
LONGEST = 200_000
STEPS_AT_ONCE = 40


def asking(text, form):
    """The script with a request for a proof after its only query; none if it is of another shape."""
    if len(re.findall(r"\(\s*check-sat", text)) != 1 or "(push" in text or "produce-proofs" in text:
        return None
    before, query, _ = text.partition("(check-sat)")
    return OPTIONS + MORE[form] + before + "(check-sat)\n(get-proof)\n" if query else None


def proof_of(command, script, seconds):
    """What the solver prints after unsat; none if it does not get there in time."""
    with tempfile.NamedTemporaryFile("w", suffix=".smt2") as file:
        file.write(script)
        file.flush()
        try:
            run = subprocess.run([*command, file.name], capture_output=True, text=True, timeout=seconds, errors="replace")
        except subprocess.TimeoutExpired:
            return None
    head, _, proof = run.stdout.strip().partition("\n")
    if head.strip() != "unsat" or not proof.startswith("(") or "(error" in proof[:200]:
        return None
    return proof if len(proof) <= LONGEST else None


def judged(program, seed, proof, words):
    with tempfile.NamedTemporaryFile("w", suffix=".proof") as file:
        file.write(proof)
        file.flush()
        command = [program, "proof", seed, file.name, "--json", *words]
        run = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(run.stdout)
    except ValueError:
        return None


def altered(draw, line):
    """The line of a step that concludes something else."""
    before, rule, after = line.partition(" :rule ")
    match = re.fullmatch(r"(\(step \S+ (?:\(cl )?)(.*)", before)
    if not rule or not match:
        return None
    head, conclusion = match.groups()
    close = ")" if "(cl " in head else ""
    conclusion = conclusion[: len(conclusion) - len(close)]
    if conclusion.strip() in ("", "false", "(cl)"):
        # What follows from true is true.
        return None
    # A number in a term with a name would change every step that uses the name.
    numbers = [] if ":named" in conclusion else [one for one in re.finditer(r"(?<= )\d+(?=[ )])", conclusion)]
    if numbers and draw.random() < 0.5:
        one = draw.choice(numbers)
        conclusion = conclusion[: one.start()] + str(int(one.group()) + 1) + conclusion[one.end() :]
    elif close and (not conclusion.startswith("(") or " (" in conclusion):
        # A clause of several literals has no negation in one literal; its first literal has.
        literal = re.match(r"(\(not (\S+?)\)|[^() ]+)( .*|$)", conclusion)
        if not literal:
            return None
        inner = literal.group(2) or "(not %s)" % literal.group(1)
        conclusion = inner + literal.group(3)
    else:
        conclusion = "(not %s)" % conclusion
    return head + conclusion + close + rule + after


def liars(draw, proof):
    """The proof with some altered steps, and their names."""
    lines = proof.split("\n")
    places = [at for at, line in enumerate(lines) if line.startswith("(step ")]
    names, used = set(), set()
    for at in draw.sample(places, len(places)):
        lie, name = altered(draw, lines[at]), lines[at].split()[1]
        premises = set(re.sub(r".*:premises \(([^)]*)\).*", r"\1", lines[at]).split()) if ":premises" in lines[at] else set()
        # From a lie and another lie anything may follow, so no step has an altered premise.
        if lie and lie != lines[at] and name not in used and not premises & names and len(names) < STEPS_AT_ONCE:
            lines[at] = lie
            names.add(name)
            used |= premises
    return "\n".join(lines), sorted(names)


def became(name, told):
    """What became of an altered step."""
    if any(one.startswith("Step %s " % name) for one in told["wrong"]):
        return "caught"
    if any(one.startswith("Step %s " % name) for one in told["open"]):
        return "open"
    if any(one.startswith(("%s " % name, "%s:" % name)) for one in told["open"]):
        return "not judged: a hole, an internal symbol, variables in context"
    return "still holds"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("how", choices=["census", "lies"])
    parser.add_argument("format", choices=sorted(MORE))
    parser.add_argument("seeds", nargs="+")
    parser.add_argument("--auspex", default="target/release/auspex")
    parser.add_argument("--solver-command", required=True)
    parser.add_argument("--other", help="a solver to ask about open steps")
    parser.add_argument("--proofs", type=int, default=500)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=3.0)
    given = parser.parse_args()
    words = ["--solver", given.other, "--ask", "10", "--timeout", "1"] if given.other else []
    draw, counts, read, done = random.Random(1), collections.Counter(), 0, 0
    for seed in given.seeds:
        if (given.how == "census" and read >= given.proofs) or done >= given.steps and given.how == "lies":
            break
        with open(seed, errors="replace") as file:
            script = asking(file.read(), given.format)
        proof = script and proof_of(given.solver_command.split(), script, given.seconds)
        if not proof:
            continue
        names = []
        if given.how == "lies":
            proof, names = liars(draw, proof)
        told = judged(given.auspex, seed, proof, words)
        if told is None:
            counts["proofs that are not read"] += 1
            continue
        read += 1
        if given.how == "census":
            counts.update(told["counts"])
            counts["proofs: " + told["verdict"]] += 1
            for wrong in told["wrong"]:
                print("WRONG", seed, wrong, flush=True)
        for name in names:
            counts[became(name, told)] += 1
            done += 1
        if read % 25 == 0:
            print(read, "proofs", dict(counts), file=sys.stderr, flush=True)
    print("%s %s: %d proofs" % (given.how, given.format, read))
    for word, count in sorted(counts.items()):
        print("%8d  %s" % (count, word))


if __name__ == "__main__":
    os.environ.setdefault("NO_COLOR", "1")
    main()
