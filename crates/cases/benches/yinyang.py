"""Measures yinyang's mutators on scripts, for the benchmark `approximate`.

Usage: python yinyang.py < LIST, with yinyang 0.3.0 installed; the list has one path a line.
A mutant is made, and written as text in memory, as its fuzzing loop does before it starts a solver.
Times are processor time; reading a script is counted apart.
"""
import os
import random
import sys
import time
import types

# This file has the name of the package.
sys.path.pop(0)

import yinyang
from yinyang.src.mutators.GenTypeAwareMutation.GenTypeAwareMutation import GenTypeAwareMutation
from yinyang.src.mutators.GenTypeAwareMutation.Util import get_unique_subterms
from yinyang.src.mutators.SemanticFusion.SemanticFusion import SemanticFusion
from yinyang.src.mutators.TypeAwareOpMutation import TypeAwareOpMutation
from yinyang.src.parsing.Parse import parse_file
from yinyang.src.parsing.Typechecker import typecheck

MUTANTS = int(sys.argv[1]) if len(sys.argv) > 1 else 300
CONFIG = os.path.join(os.path.dirname(yinyang.__file__), "config")


def arguments(config, **more):
    return types.SimpleNamespace(config=os.path.join(CONFIG, config), modulo=2, **more)


def measure(name, make, scripts):
    """The mutators with the scripts they can use; what they refuse costs them nothing here."""
    made, reading, spent, failed = 0, 0.0, 0.0, 0
    for file in scripts:
        own, started = 0, time.process_time()
        try:
            mutator = make(file)
            read = time.process_time()
            for _ in range(MUTANTS):
                mutant, success, _ = mutator.mutate()
                if success and str(mutant):
                    own += 1
        except BaseException:
            failed += 1
        if own:
            made += own
            reading += read - started
            spent += time.process_time() - read
    if made:
        each = 1e6 / made
        print(f"yinyang {name}: {spent * each:.2f} µs to make and write one, {(spent + reading) * each:.2f} µs "
              f"with reading ({made} mutants, {failed} of {len(scripts)} scripts refused)", flush=True)


def parse(file):
    script, glob = parse_file(file, silent=True)
    if not script:
        raise ValueError(file)
    return script, glob


def typefuzz(file):
    script, glob = parse(file)
    typecheck(script, glob)
    return GenTypeAwareMutation(script, arguments("typefuzz_config.txt"), get_unique_subterms(script))


def main():
    random.seed(1)
    sys.setrecursionlimit(100000)
    files = sys.stdin.read().split("\n")
    files = [file for file in files if file]
    opfuzz = arguments("operator_mutations.txt")
    measure("opfuzz", lambda f: TypeAwareOpMutation(parse(f)[0], opfuzz), files)
    measure("typefuzz", typefuzz, files)
    fusion = arguments("fusion_functions.txt", oracle="sat")
    partner = lambda: parse(random.choice(files))[0]
    measure("fusion", lambda f: SemanticFusion(parse(f)[0], partner(), fusion), files)


if __name__ == "__main__":
    main()
