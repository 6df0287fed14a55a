"""Releases that Auspex has installed, as programs to start, and the processor time that processes have taken."""
import os
import pathlib
import resource
import shlex
import tempfile
import tomllib


def program(solver):
    """The program of an installed release (a script, if it takes more than its name), or nothing if there is none that runs files."""
    name, _, version = solver.partition("@")
    cache = os.environ.get("AUSPEX_CACHE") or os.path.expanduser("~/.cache/auspex")
    home = pathlib.Path(cache).resolve() / "solvers" / f"{name}-{version}"
    note = home / "auspex.toml"
    about = tomllib.loads(note.read_text()) if note.exists() else {"driver": True}
    # A driver speaks a protocol of its own and runs no files.
    if about.get("driver"):
        return None
    path = home / about["program"]
    if not about["libraries"] and not about["arguments"]:
        return path
    start = pathlib.Path(tempfile.gettempdir()) / f"auspex-bench-{os.getuid()}" / f"{name}-{version}"
    start.parent.mkdir(mode=0o700, exist_ok=True)
    libraries = ":".join(str(home / folder) for folder in about["libraries"])
    words = shlex.join([str(path), *(word.replace("./", f"{home}/") for word in about["arguments"])])
    text = f'#!/bin/sh\nLD_LIBRARY_PATH={shlex.quote(libraries)} exec {words} "$@"\n'
    # A program that runs cannot be written.
    if not start.exists() or start.read_text() != text:
        start.write_text(text)
        start.chmod(0o700)
    return start


def spent():
    """Processor seconds of the processes that this one started and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def spent_by(session):
    """Processor seconds of a session so far, with those of its children that have ended."""
    ticks = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")
