"""Boolector as a command-line program, over the Python package."""

import ctypes
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "package"))
sys.path.insert(0, here)

import pyboolector  # noqa: E402
from replay import Session  # noqa: E402
from stream import listing, options, say  # noqa: E402

OTHER_NAMES = {"check-model": "CHK_MODEL"}


class ParseError(Exception):
    pass


class Engine:
    """The parser reads files only, so the script is put in one that has no name on disk."""

    def __init__(self, chosen):
        self.chosen = chosen
        self.script = ""
        self.printed = 0

    def run(self, script):
        self.script = script
        output = self.solve(script)
        self.printed = len(output)
        say(output)

    def more(self, command):
        """Solves again, and prints what is new: the package cannot go on after the end of a script."""
        output = self.solve(self.script + command + "\n")
        say(output[self.printed :])

    def solve(self, script):
        """What the solver prints, caught: it knows no other place than standard output."""
        source, target, terminal = os.memfd_create("script"), os.memfd_create("output"), os.dup(1)
        os.write(source, script.encode("utf-8", "surrogateescape"))
        os.dup2(target, 1)
        try:
            parse(new_solver(self.chosen), path(source))
        finally:
            ctypes.CDLL(None).fflush(None)
            os.dup2(terminal, 1)
            os.lseek(target, 0, os.SEEK_SET)
            output = read_all(target).decode("utf-8", "replace")
            for descriptor in (source, target, terminal):
                os.close(descriptor)
        return output


def path(descriptor):
    return "/proc/self/fd/%d" % descriptor


def read_all(descriptor):
    parts = []
    while True:
        part = os.read(descriptor, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)


def parse(solver, source):
    status, _, problem = solver.Parse(source)
    if problem:
        raise ParseError(problem.replace(source, "<stdin>"))
    return status


def new_solver(chosen):
    solver = pyboolector.Boolector()
    for name, value in chosen:
        set_option(solver, name, value)
    return solver


def set_option(solver, name, value):
    if name in ("smt2",):
        return
    known = OTHER_NAMES.get(name, name.upper().replace("-", "_"))
    option = getattr(pyboolector.BtorOption, "BTOR_OPT_" + known)
    if value in ("true", "false"):
        number = int(value == "true")
    elif value.isdigit():
        number = int(value)
    else:
        number = named_value(known + "_" + value.upper().replace("-", "_"))
    solver.Set_opt(option, number)


def named_value(name):
    """The number of a value such as `prop` of `engine`, wherever the package lists it."""
    for group in vars(pyboolector).values():
        found = getattr(group, "BTOR_" + name, None)
        if found is not None:
            return found
    raise ParseError("invalid option value '%s'" % name)


def offered():
    """The options as the package tells them: all are numbers, and those from 0 to 1 are switches."""
    for told in pyboolector.Boolector().Options():
        switch = (told.min, told.max) == (0, 1)
        default = ("false", "true")[told.dflt] if switch and told.dflt in (0, 1) else told.dflt
        values = "" if switch else "%s..%s" % (told.min, told.max)
        yield told.lng, "bool" if switch else "int", default, "", values, told.desc or ""


def main():
    if "--version" in sys.argv:
        say("%s\n" % pyboolector.Boolector().Version())
        return 0
    if "--list-options" in sys.argv:
        listing(offered())
        return 0
    chosen, files, flags = options(sys.argv[1:], own=("--live",))
    try:
        if flags:
            Session(lambda: Engine(chosen)).serve()
            return 0
        if files and files[0] != "-":
            status = parse(new_solver(chosen), files[0])
        else:
            source = os.memfd_create("script")
            os.write(source, sys.stdin.buffer.read())
            status = parse(new_solver(chosen), path(source))
        return status if status in (10, 20) else 0
    except AttributeError as problem:
        sys.stderr.write("boolector: invalid option: %s\n" % problem)
    except (pyboolector.BoolectorException, ParseError, ValueError) as problem:
        sys.stderr.write("boolector: %s\n" % str(getattr(problem, "msg", problem)).strip())
    return 1


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
