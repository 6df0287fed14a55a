"""A solver that hands everything to another one, and lies about some scripts.

    solver.py N LOG PROGRAM ARGUMENT...

It flips the answer to one script in N, and alters one value in the model of another one in N.
With core:N it lies about nothing but one core in N: it empties half of them and leaves the last name out of the others.
With KIND:N it lies about nothing but replies of that kind, in one script of N: the functions `lie_about_…` say how.
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
ASKING = ("check-sat", "get-", "echo", "simplify", "apply", "display", "check-synth")
VALUE = re.compile(
    r"\(define-fun\s+(\|[^|]*\||[^\s()]+)\s+\(\)\s+(Bool|Int|\(_ BitVec \d+\)|String)\s+"
    r"(true|false|\d+|#b[01]+|#x[0-9a-fA-F]+|\"[^\"]*\")\s*\)"
)


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


def items(text):
    """The items of a list, as texts; none if the text is no list."""
    text = text.strip()
    if not text.startswith("("):
        return None
    found, depth, start, state = [], 0, None, ""
    for at, c in enumerate(text):
        if state:
            state = "" if c == state else state
            continue
        if c in '"|':
            state = c
        if depth == 1 and (c.isspace() or c == ")"):
            if start is not None:
                found.append(text[start:at])
            start = None
        elif depth == 1 and start is None:
            start = at
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return found if not text[at + 1 :].strip() else None
    return None


def joined(parts):
    return "(" + " ".join(parts) + ")"


def off_by_one(value, pick):
    """Another value of the same sort, or none."""
    if value in ("true", "false"):
        return "false" if value == "true" else "true"
    off = 1 if pick % 2 else -1
    whole = re.fullmatch(r"(\(- )?(\d+)(\.0)?\)?", value)
    if whole:
        told = int(whole[2]) * (-1 if whole[1] else 1) + off
        text = f"{abs(told)}{whole[3] or ''}"
        return text if told >= 0 else f"(- {text})"
    if re.fullmatch(r"#b[01]+", value):
        return value[:-1] + ("1" if value[-1] == "0" else "0")
    if re.fullmatch(r"#x[0-9a-fA-F]+", value):
        return value[:-1] + ("1" if value[-1] == "0" else "0")
    return None


def weaker(formula, pick):
    """A conjunction without a conjunct, or the opposite."""
    parts = items(formula)
    if parts and parts[0] == "and" and len(parts) > 2 and pick % 2:
        del parts[1 + pick // 2 % (len(parts) - 1)]
        return joined(parts)
    return f"(not {formula})"


def in_definition(reply, change):
    """A definition with another body, alone or in a list."""
    parts = items(reply)
    if parts and parts[0] == "define-fun":
        return joined(parts[:4] + [change(parts[4])])
    if parts and len(parts) == 1:
        inner = in_definition(parts[0], change)
        return inner and joined([inner])
    return None


def lie_about_optimum(reply, pick):
    """The first number among the objectives is off by one."""
    parts = items(reply)
    for at, pair in enumerate(parts or []):
        pair = items(pair)
        told = off_by_one(pair[-1], pick) if pair else None
        if told:
            parts[at] = joined(pair[:-1] + [told])
            return joined(parts)
    return None


def lie_about_interpolant(reply, pick):
    """A conjunct is missing, or the interpolant is negated."""
    return in_definition(reply, lambda body: weaker(body, pick))


def lie_about_abduct(reply, pick):
    """A conjunct is missing, or the abduct is negated."""
    return in_definition(reply, lambda body: weaker(body, pick))


def lie_about_synthesis(reply, pick):
    """The synthesised function has another value where its first argument is zero."""
    definition = re.search(r"\(define-fun\s+\S+\s+\(\((\S+)\s+Int\)", reply)
    if not definition:
        return None
    return in_definition(reply, lambda body: f"(ite (= {definition[1]} {pick % 3}) (+ 1 {body}) {body})")


def lie_about_invariant(reply, pick):
    """The first predicate is too strong or too weak."""
    parts = items(reply)
    if parts and parts[0] == "model":
        parts = parts[1:]
    for at, definition in enumerate(parts or []):
        definition = items(definition)
        if definition and definition[0] == "define-fun" and definition[2] != "()" and definition[3] == "Bool":
            body = definition[4]
            told = weaker(body, pick) if pick % 3 else "false"
            parts[at] = joined(definition[:4] + [told])
            return joined(parts)
    return None


def lie_about_simplification(reply, pick):
    """A literal in the result is off by one, or a goal has a formula less."""
    parts = items(reply)
    if parts and parts[0] == "goals":
        goal = items(parts[1]) if len(parts) > 1 else None
        if not goal or len(goal) < 2 or goal[1].startswith(":"):
            return None
        goal[1:2] = [] if pick % 2 else [f"(not {goal[1]})"]
        return joined(["goals", joined(goal)] + parts[2:])
    told = off_by_one(reply.strip(), pick)
    if told:
        return told
    found = list(re.finditer(r"(?<=[ (])(true|false|\d+(\.0)?|#b[01]+|#x[0-9a-fA-F]+)(?=[ )])", reply))
    found = [one for one in found if not re.search(r"\(_ \S+( \d+)?$", reply[: one.start()].rstrip())]
    if not found:
        return None
    one = found[pick % len(found)]
    return reply[: one.start()] + off_by_one(one[0], pick) + reply[one.end() :]


def lie_about_elimination(reply, pick):
    """The result is negated, or a goal is altered."""
    parts = items(reply)
    if parts and parts[0] == "goals":
        return lie_about_simplification(reply, pick)
    return weaker(reply.strip(), pick)


def lie_about_consequence(reply, pick):
    """The conclusion of a consequence is negated."""
    at = reply.find("(")
    parts = items("(" + reply[at:] + ")") if at >= 0 else None
    if not parts:
        return None
    place = pick % len(parts)
    one = items(parts[place])
    if not one or one[0] != "=>":
        return None
    one[2] = f"(not {one[2]})"
    parts[place] = joined(one)
    return reply[:at] + "\n".join(parts)


def lie_about_assumptions(reply, pick):
    """An assumption is missing."""
    parts = items(reply)
    if not parts:
        return None
    del parts[pick % len(parts)]
    return joined(parts)


def lie_about_value(reply, pick):
    """A value is off by one."""
    return lie_about_optimum(reply, pick)


def lie_about_printing(reply, pick):
    """A literal of what is printed back is off by one."""
    return lie_about_simplification(reply, pick)


LIES = {
    "optimum": (("get-objectives",), lie_about_optimum),
    "interpolant": (("get-interpolant", "get-interpolant-next", "get-interpolants"), lie_about_interpolant),
    "abduct": (("get-abduct", "get-abduct-next"), lie_about_abduct),
    "synthesis": (("check-synth", "check-synth-next"), lie_about_synthesis),
    "invariant": (("get-model",), lie_about_invariant),
    "simplification": (("simplify", "apply"), lie_about_simplification),
    "elimination": (("get-qe", "get-qe-disjunct", "apply"), lie_about_elimination),
    "consequence": (("get-consequences",), lie_about_consequence),
    "assumptions": (("get-unsat-assumptions",), lie_about_assumptions),
    "value": (("get-value", "get-assignment"), lie_about_value),
    "printing": (("display", "get-assertions"), lie_about_printing),
}


class Liar:
    def __init__(self, rarity, log, command):
        kind, _, number = rarity.rpartition(":")
        self.cores = int(number) if kind == "core" else None
        self.kind, self.one_in = (kind, int(number)) if kind in LIES else (None, 0)
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

    def lying_reply(self, word, reply):
        """The reply to a question of the kind that is lied about."""
        words, lie = LIES[self.kind]
        digest = self.digest(self.kind)
        is_answer = reply.strip() and "(error" not in reply
        if word not in words or digest % self.one_in != 0 or not is_answer:
            return reply
        told = lie(reply, digest // self.one_in)
        if told is None or told.split() == reply.split():
            return reply
        self.note(self.kind, said=reply, told=told)
        return told + "\n"

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
        if self.kind:
            return self.lying_reply(word, reply)
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
