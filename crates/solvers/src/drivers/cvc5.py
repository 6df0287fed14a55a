"""cvc5 as a command-line program, over the Python package: reads a file or standard input, prints replies as cvc5 does."""

import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "package"))
sys.path.insert(0, here)

import cvc5  # noqa: E402
from replay import Session  # noqa: E402
from stream import commands, head, listing, options, say, split  # noqa: E402

# Before this release a new parser over the same symbols does not see their scopes.
SCOPES_SINCE = (1, 1, 2)

# Commands of SyGuS, which has a language of its own, and those that both languages know.
SYNTHESIS = ("synth-fun", "synth-inv", "declare-var", "constraint", "inv-constraint", "assume", "check-synth", "check-synth-next")
SHARED = ("set-logic", "declare-datatype", "declare-datatypes", "declare-sort", "define-sort", "define-fun", "define-fun-rec")


def new_solver(chosen):
    try:
        solver = cvc5.Solver(cvc5.TermManager())
    except (AttributeError, TypeError):
        # Before 1.2 there was no term manager.
        solver = cvc5.Solver()
    # The program solves incrementally only if it is told to, the package always.
    if all(name != "incremental" for name, _ in chosen):
        solver.setOption("incremental", "false")
    for name, value in chosen:
        if name in ("lang", "interactive"):
            continue
        solver.setOption(name, value)
    return solver


def error(message):
    say('(error "%s")\n' % str(message).replace('"', '""'))


def between_resets(text):
    """The text in pieces, None for each `(reset)`: after a reset the parser takes no more input, so all is made anew."""
    if "reset" not in text:
        yield text
        return
    piece = ""
    for command in split(text):
        if head(command) != "reset":
            piece += command
            continue
        if piece.strip():
            yield piece
        yield None
        piece = ""
    if piece.strip():
        yield piece


def skim(texts):
    """After an error only echoes are answered, until the next reset."""
    for text in texts:
        if head(text) == "echo":
            say(text[text.index('"') : text.rindex('"') + 1] + "\n")


class Driver:
    language = staticmethod(lambda: cvc5.InputLanguage.SMT_LIB_2_6)

    def __init__(self, chosen):
        self.chosen = chosen
        self.reset()

    def reset(self):
        self.solver = new_solver(self.chosen)
        self.parser = cvc5.InputParser(self.solver)
        self.symbols = self.parser.getSymbolManager()
        self.done = 0
        self.refused = False

    def execute(self):
        """Executes what the parser holds; False after an error, where the program stops too."""
        self.done = 0
        while True:
            try:
                command = self.parser.nextCommand()
            except Exception as problem:
                error("Parse Error: %s" % problem)
                return False
            if command is None or command.isNull():
                return True
            try:
                reply = command.invoke(self.solver, self.symbols)
            except Exception as problem:
                error(problem)
                return False
            if isinstance(reply, bytes):
                reply = reply.decode("utf-8", "replace")
            if reply:
                # The package adds a reason that the program does not print.
                say("unknown\n" if reply.startswith("unknown (") else reply)
            if reply and reply.startswith("(error"):
                return False
            self.done += 1
            if command.getCommandName() == "exit":
                sys.exit(0)

    def read(self, text):
        """Feeds and executes a text; commands of SyGuS go to a solver for that language. False after an error."""
        if "(check-synth" not in text:
            self.feed(text)
            return self.execute()
        synthesiser = Synthesiser(self.chosen)
        for number, command in enumerate(split(text)):
            readers = [one for one in (synthesiser, self) if one.knows(head(command))]
            for one in readers:
                one.feed(command)
                if not one.execute():
                    self.done = number
                    return False
        return True

    def knows(self, word):
        return word not in SYNTHESIS

    def read_stream(self, live):
        for text in commands(0):
            for part in between_resets(text):
                if part is None:
                    self.reset()
                    continue
                if self.refused:
                    skim(list(split(part)))
                    continue
                if self.read(part):
                    continue
                if not live:
                    return 1
                # Whoever talks to us live waits for the echoes, and resets.
                self.refused = True
                skim(list(split(part))[self.done + 1 :])
        return 0

    def feed(self, text):
        # A parser that has reached the end of an input may not go on, depending on the release; symbols live elsewhere.
        self.parser = cvc5.InputParser(self.solver, self.symbols)
        self.parser.setIncrementalStringInput(self.language(), "<stdin>")
        self.parser.appendIncrementalStringInput(text)

    def read_all(self):
        return 0 if self.read(sys.stdin.buffer.read().decode("utf-8", "surrogateescape")) else 1

    def read_file(self, path):
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
        if "(check-synth" in text:
            return 0 if self.read(text) else 1
        self.parser.setFileInput(self.language(), path)
        return 0 if self.execute() else 1


class Synthesiser(Driver):
    """A solver for problems of SyGuS."""

    language = staticmethod(lambda: cvc5.InputLanguage.SYGUS_2_1)

    def __init__(self, chosen):
        super().__init__([*chosen, ("sygus", "true")])

    def knows(self, word):
        return word in SYNTHESIS + SHARED


class Engine(Driver):
    """One query in a solver of its own, for releases that cannot go on with a script."""

    def run(self, text):
        self.feed(text)
        if not self.execute():
            sys.exit(1)

    more = run


def version(solver):
    text = solver.getVersion()
    return text.decode() if isinstance(text, bytes) else text


def offered(solver):
    """The options as the package tells them; an alias is not told twice."""
    for name in sorted(solver.getOptionNames()):
        told = solver.getOptionInfo(name)
        if told["name"] != name:
            continue
        kind, default = told["type"], told.get("default")
        values = ""
        if kind == "mode":
            kind, values = "choice", ",".join(told["modes"])
        elif kind in (int, float):
            ends = (told.get("minimum"), told.get("maximum"))
            values = "..".join("" if end is None else str(end) for end in ends)
        if isinstance(default, bool):
            default = str(default).lower()
        category = told.get("category")
        category = category.name.lower() if category is not None else ""
        names = {bool: "bool", int: "int", float: "real", "choice": "choice"}
        yield name, names.get(kind, "text"), "" if default is None else default, category, values, ""


def numbers(text):
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def main():
    if "--version" in sys.argv:
        say("This is cvc5 version %s\n" % version(new_solver([])))
        return 0
    if "--list-options" in sys.argv:
        listing(offered(new_solver([])))
        return 0
    chosen, files, flags = options(sys.argv[1:], own=("--live",))
    try:
        driver = Driver(chosen)
    except Exception as problem:
        error(problem)
        return 1
    if files and files[0] != "-":
        return driver.read_file(files[0])
    if numbers(version(driver.solver)) >= SCOPES_SINCE:
        return driver.read_stream(bool(flags))
    if flags:
        Session(lambda: Engine(chosen)).serve()
        return 0
    return driver.read_all()


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # Destroying the solver takes time and has crashed: the program does not do it either.
    os._exit(code)
