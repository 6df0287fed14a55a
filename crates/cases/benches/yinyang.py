"""Measures yinyang's mutators on the scripts of a folder, for the benchmark `approximate`.

Usage: python yinyang.py FOLDER, with yinyang 0.3.0 installed.
A mutant is made, and written as text, as its fuzzing loop does before it starts a solver.
"""
import os
import random
import sys
import time
import types

import yinyang
from yinyang.src.mutators.GenTypeAwareMutation.GenTypeAwareMutation import GenTypeAwareMutation
from yinyang.src.mutators.GenTypeAwareMutation.Util import get_unique_subterms
from yinyang.src.mutators.SemanticFusion.SemanticFusion import SemanticFusion
from yinyang.src.mutators.TypeAwareOpMutation import TypeAwareOpMutation
from yinyang.src.parsing.Parse import parse_file
from yinyang.src.parsing.Typechecker import typecheck

MUTANTS = 10
SCRIPTS = 250
CONFIG = os.path.join(os.path.dirname(yinyang.__file__), "config")


def arguments(config, **more):
    return types.SimpleNamespace(config=os.path.join(CONFIG, config), modulo=2, **more)


def measure(name, make, scripts):
    made, mutating, writing, failed = 0, 0.0, 0.0, 0
    for script in scripts:
        try:
            mutator = make(script)
            for _ in range(MUTANTS):
                started = time.perf_counter()
                mutant, success, _ = mutator.mutate()
                mutated = time.perf_counter()
                text = str(mutant)
                written = time.perf_counter()
                if success and text:
                    made += 1
                    mutating += mutated - started
                    writing += written - mutated
        except Exception:
            failed += 1
    if made:
        each = 1e6 / made
        print(f"yinyang {name}: {mutating * each:.2f} µs to make one, {(mutating + writing) * each:.2f} µs "
              f"to make and write one ({made} mutants, {failed} scripts refused)")


def typefuzz(script):
    script, glob = script
    typecheck(script, glob)
    return GenTypeAwareMutation(script, arguments("typefuzz_config.txt"), get_unique_subterms(script))


def main():
    random.seed(1)
    sys.setrecursionlimit(100000)
    files = sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(sys.argv[1])
        for name in names
        if name.endswith(".smt2")
    )
    random.shuffle(files)
    parsed = []
    for file in files:
        if len(parsed) == SCRIPTS:
            break
        try:
            script, glob = parse_file(file, silent=True)
            if script:
                parsed.append((script, glob))
        except BaseException:
            pass
    print(f"yinyang read {len(parsed)} scripts")
    opfuzz = arguments("operator_mutations.txt")
    measure("opfuzz", lambda s: TypeAwareOpMutation(s[0], opfuzz), parsed)
    measure("typefuzz", typefuzz, parsed)
    fusion = arguments("fusion_functions.txt", oracle="sat")
    partner = lambda: random.choice(parsed)[0]
    measure("fusion", lambda s: SemanticFusion(s[0], partner(), fusion), parsed)


if __name__ == "__main__":
    main()
