"""Bitwuzla as a command-line program, over the Python package."""

import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "package"))
sys.path.insert(0, here)

import bitwuzla  # noqa: E402
from replay import Session  # noqa: E402
from stream import listing, say  # noqa: E402


class Engine:
    def __init__(self, arguments):
        options = bitwuzla.Options()
        if arguments:
            options.set_args(*arguments)
        self.parser = bitwuzla.Parser(bitwuzla.TermManager(), options)

    def run(self, script):
        self.parser.parse(script, False, False)

    more = run


def offered():
    """The options as the package tells them."""
    chosen = bitwuzla.Options()
    for name, option in sorted(vars(bitwuzla.Option).items()):
        if not name.isupper():
            continue
        told = bitwuzla.OptionInfo(chosen, option)
        kind, values, default = "text", "", told.dflt()
        if chosen.is_bool(option):
            kind, default = "bool", str(default).lower()
        elif chosen.is_numeric(option):
            kind, values = "int", "%s..%s" % (told.min(), told.max())
        elif chosen.is_mode(option):
            kind, values = "choice", ",".join(chosen.modes(option))
        yield chosen.lng(option), kind, default, "", values, told.description()


def main():
    if "--version" in sys.argv:
        say("%s\n" % bitwuzla.version())
        return 0
    if "--list-options" in sys.argv:
        listing(offered())
        return 0
    words = sys.argv[1:]
    arguments = [word for word in words if word.startswith("-") and word not in ("-", "--live")]
    files = [word for word in words if not word.startswith("-")]
    try:
        if "--live" in words:
            Session(lambda: Engine(arguments)).serve()
        elif files:
            Engine(arguments).parser.parse(files[0], False, True)
        else:
            Engine(arguments).run(sys.stdin.buffer.read().decode("utf-8", "surrogateescape"))
    except (bitwuzla.BitwuzlaException, ValueError, RuntimeError) as problem:
        sys.stderr.write("[error] %s\n" % problem)
        return 1
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
