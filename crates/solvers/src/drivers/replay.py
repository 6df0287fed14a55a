"""Live sessions for solvers whose package cannot go on with a script: every query replays the open scopes in a new solver."""

import re
import sys

from stream import commands, head, say, split


class Session:
    """`new_engine()` makes a solver with `run(script)` and `more(command)`; both print replies and raise on errors."""

    def __init__(self, new_engine):
        self.new_engine = new_engine
        self.scopes = [[]]
        self.engine = None

    def serve(self):
        for text in commands(0):
            for command in split(text):
                self.execute(command)

    def execute(self, command):
        name = head(command)
        if name == "echo":
            found = re.search(r'"[^"]*"', command)
            say((found.group() if found else '""') + "\n")
        elif name == "exit":
            sys.exit(0)
        elif name == "reset":
            self.scopes, self.engine = [[]], None
        elif name == "reset-assertions":
            kept = [c for c in self.scopes[0] if head(c).startswith("set-")]
            self.scopes, self.engine = [kept], None
        elif name == "push":
            self.scopes += [[] for _ in range(count(command))]
        elif name == "pop":
            self.pop(count(command))
        elif name.startswith("check-sat"):
            self.ask(command)
        elif name.startswith("get-") and self.engine:
            self.engine.more(command)
        elif name.startswith("get-"):
            self.ask(command)
        else:
            self.scopes[-1].append(command)
            self.engine = None

    def ask(self, command):
        script = "\n".join(c for scope in self.scopes for c in scope)
        self.engine = self.new_engine()
        self.engine.run(script + "\n" + command + "\n")

    def pop(self, number):
        if number >= len(self.scopes):
            raise ValueError("cannot pop %d of %d scopes" % (number, len(self.scopes) - 1))
        if number:
            del self.scopes[-number:]
        self.engine = None


def count(command):
    found = re.search(r"\d+", command)
    return int(found.group()) if found else 1
