"""Reads SMT-LIB commands from a stream as they arrive, for the drivers that turn Python packages into programs."""

import os
import re
import sys

TOKEN = re.compile(r'[()]|"[^"]*"|\|[^|]*\||;[^\n]*')


def commands(descriptor):
    """Yields texts of one or more whole commands, as soon as they have arrived; at the end whatever is left."""
    pending, scanned, depth, whole = "", 0, 0, 0
    carry = b""
    while True:
        data = os.read(descriptor, 1 << 16)
        text, carry = decode(carry + data, not data)
        pending += text
        while True:
            token = TOKEN.search(pending, scanned)
            # A token that touches the end may still grow: a string, a comment.
            if not token or (data and token.end() == len(pending) and token.group() not in "()"):
                opened = unfinished(pending, scanned)
                scanned = opened if data else len(pending)
                break
            scanned = token.end()
            if token.group() == "(":
                depth += 1
            elif token.group() == ")":
                depth -= 1
                if depth <= 0:
                    depth, whole = 0, scanned
        if whole:
            yield pending[:whole]
            pending, scanned, whole = pending[whole:], max(scanned - whole, 0), 0
        if not data:
            if pending.strip():
                yield pending
            return


def unfinished(text, start):
    """The place of a quote, bar or comment that is open at the end of the text, else the end."""
    found = re.search(r'["|;]', text[start:])
    return start + found.start() if found else len(text)


def decode(data, last):
    """Text and the bytes of a character that has not fully arrived."""
    try:
        return data.decode("utf-8"), b""
    except UnicodeDecodeError as error:
        if not last and error.start >= len(data) - 3:
            return data[: error.start].decode("utf-8"), data[error.start :]
        return data.decode("latin-1"), b""


def split(text):
    """The commands of a text, one by one."""
    depth, start = 0, 0
    for token in TOKEN.finditer(text):
        if token.group() == "(":
            depth += 1
        elif token.group() == ")":
            depth -= 1
            if depth <= 0:
                yield text[start : token.end()]
                depth, start = 0, token.end()
    if text[start:].strip():
        yield text[start:]


def head(command):
    """The first word of a command."""
    found = re.search(r"\(\s*([^\s()]+)", command)
    return found.group(1) if found else ""


def say(text):
    """Prints at once: somebody waits."""
    sys.stdout.write(text)
    sys.stdout.flush()


def listing(rows):
    """Prints options in columns between tabs: name, type, default, category, values, meaning."""
    for row in rows:
        say("\t".join(" ".join(str(column).split()) for column in row) + "\n")


def options(arguments, own=()):
    """Splits a command line into options, as (name, value), and files; `own` names flags that are the driver's."""
    chosen, files, flags = [], [], set()
    for argument in arguments:
        if argument in own:
            flags.add(argument)
        elif argument == "-" or not argument.startswith("-"):
            files.append(argument)
        else:
            name, equals, value = argument.lstrip("-").partition("=")
            if not equals:
                name, value = (name[3:], "false") if name.startswith("no-") else (name, "true")
            chosen.append((name, value))
    return chosen, files, flags
