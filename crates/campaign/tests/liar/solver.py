"""A solver that hands everything to another one, and lies about some scripts.

    solver.py N LOG PROGRAM ARGUMENT...

It flips the answer to one script in N, and alters one value in the model of another one in N.
With optimum:N it lies about nothing but the objectives of one script in N: the first number is off by one.
With core:N it lies about nothing but one core in N: it empties half of them and leaves the last name out of the others.
Which ones follows from declarations, definitions and assertions alone, so the lie shows again in a new process.
Every lie is written to LOG as a line of JSON.
"""

import hashlib
import json
import os
import re
import subprocess
import sys

MARK = "liar-mark"
KEPT = ("declare-", "define-", "assert")
ASKING = ("check-sat", "get-", "echo")
VALUE = re.compile(
    r"\(define-fun\s+(\|[^|]*\||[^\s()]+)\s+\(\)\s+(Bool|Int|\(_ BitVec \d+\)|String)\s+"
    r"(true|false|\d+|#b[01]+|#x[0-9a-fA-F]+|\"[^\"]*\")\s*\)"
)


OBJECTIVE = re.compile(
    r"\(objectives\s*\((?:[^\s()]*|\([^\n]*\)) (?P<value>(?P<minus>\(- )?(?P<digits>\d+)(?(minus)\)))\)\s*[\n(]"
)


def number(value):
    return str(value) if value >= 0 else f"(- {-value})"


def commands(chunks):
    """Commands as soon as they are complete."""
    text, depth, state = [], 0, ""
    for chunk in chunks:
        for c in chunk:
            if state == ";":
                state = "" if c == "\n" else ";"
                continue
            if state:
                text.append(c)
                state = "" if c == state else state
                continue
            if c == ";":
                state = c
                continue
            if depth == 0 and c != "(":
                continue
            text.append(c)
            if c in '"|':
                state = c
            depth += (c == "(") - (c == ")")
            if depth == 0:
                yield "".join(text)
                text = []


def head(command):
    return command[1:].split(None, 1)[0].rstrip(")")


def altered(model):
    """The model with one value changed, or none if it holds functions or no simple value."""
    if re.search(r"\(define-fun\s+(\|[^|]*\||[^\s()]+)\s+\(\s*\(", model):
        return None
    found = VALUE.search(model)
    if not found:
        return None
    value = found.group(3)
    if value in ("true", "false"):
        new = "false" if value == "true" else "true"
    elif value.startswith("#"):
        new = value[:-1] + ("1" if value[-1] == "0" else "0")
    elif value.startswith('"'):
        new = value[:-1] + 'a"'
    else:
        new = str(int(value) + 1)
    return model[: found.start(3)] + new + model[found.end(3) :]


class Liar:
    def __init__(self, rarity, log, command):
        kind, _, number = rarity.rpartition(":")
        self.cores = int(number) if kind == "core" else None
        self.optima = int(number) if kind == "optimum" else None
        self.rarity, self.log = 1 << 62 if kind else int(number), log
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, errors="surrogateescape"
        )
        self.scopes, self.marks, self.flipped = [[]], 0, False

    def lying_core(self, core):
        names = core.strip().strip("()").split()
        digest = self.digest("core")
        if self.cores is None or not names or digest % self.cores != 0:
            return core
        kept = [] if digest // self.cores % 2 else names[:-1]
        self.note("core", core=kept)
        return "(" + " ".join(kept) + ")\n"

    def lying_optimum(self, objectives):
        digest = self.digest("optimum")
        if self.optima is None or digest % self.optima != 0:
            return objectives
        first = OBJECTIVE.match(objectives)
        if first is None:
            return objectives
        off = 1 if digest // self.optima % 2 else -1
        told = number(int(first["digits"]) * (-1 if first["minus"] else 1) + off)
        new = objectives[: first.start("value")] + told + objectives[first.end("value") :]
        self.note("optimum", objectives=new)
        return new

    def chosen(self, kind):
        return self.digest(kind) % self.rarity == 0

    def digest(self, kind):
        text = "\n".join(" ".join(c.split()) for scope in self.scopes for c in scope)
        digest = hashlib.sha256((kind + text).encode("utf-8", "surrogateescape")).digest()
        return int.from_bytes(digest[:8], "big")

    def note(self, kind, **more):
        script = "\n".join(c for scope in self.scopes for c in scope)
        line = json.dumps({"kind": kind, "script": script, **more})
        with open(self.log, "a") as log:
            log.write(line + "\n")

    def send(self, text):
        self.child.stdin.write(text + "\n")

    def replies(self):
        """What the other solver says up to here."""
        self.marks += 1
        mark = f"{MARK}-{self.marks}"
        self.send(f'(echo "{mark}")')
        self.child.stdin.flush()
        lines = []
        for line in self.child.stdout:
            if line.strip().strip('"') == mark:
                break
            lines.append(line)
        return "".join(lines)

    def follow(self, command):
        word = head(command)
        if word.startswith(KEPT):
            self.scopes[-1].append(command)
        elif word == "push":
            count = command[1:-1].split()[1:]
            self.scopes.extend([] for _ in range(int(count[0]) if count else 1))
        elif word == "pop":
            count = command[1:-1].split()[1:]
            del self.scopes[max(1, len(self.scopes) - (int(count[0]) if count else 1)) :]
        elif word in ("reset", "reset-assertions"):
            self.scopes = [[]]

    def answer(self, word, reply):
        """The reply as it is told."""
        if word.startswith("check-sat"):
            self.flipped = False
            verdict = reply.split()[-1] if reply.split() else ""
            if verdict in ("sat", "unsat") and self.chosen("flip"):
                self.flipped = True
                told = "unsat" if verdict == "sat" else "sat"
                self.note("flip", told=told)
                return reply[: reply.rindex(verdict)] + told + "\n"
        if word in ("get-model", "get-unsat-core") and self.flipped:
            return '(error "not available")\n'
        if word == "get-objectives":
            return self.lying_optimum(reply)
        if word == "get-unsat-core":
            return self.lying_core(reply)
        if word == "get-model" and self.chosen("model"):
            new = altered(reply)
            if new is not None:
                self.note("model", model=new)
                return new
        return reply

    def serve(self, chunks):
        for command in commands(chunks):
            self.follow(command)
            self.send(command)
            word = head(command)
            if word == "exit":
                break
            if word.startswith(ASKING):
                sys.stdout.write(self.answer(word, self.replies()))
                sys.stdout.flush()
        rest, _ = self.child.communicate()
        sys.stdout.write(rest)
        sys.stdout.flush()
        return self.child.returncode


def stream():
    while True:
        data = os.read(0, 1 << 16)
        if not data:
            return
        yield data.decode("utf-8", "surrogateescape")


def main():
    rarity, log, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    files = [a for a in command[1:] if a.endswith(".smt2")]
    if "--version" in command:
        return subprocess.call(command)
    if files:
        command = [a for a in command if a not in files] + ["-in"]
        with open(files[0], errors="surrogateescape") as file:
            return Liar(rarity, log, command).serve([file.read()])
    return Liar(rarity, log, command).serve(stream())


if __name__ == "__main__":
    sys.exit(main())
