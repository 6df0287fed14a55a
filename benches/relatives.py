"""Which scripts are near relatives: assertions of the same shape, whatever their names and constants are."""
import re

TOKEN = re.compile(r';[^\n]*|"(?:[^"]|"")*"|\|[^|]*\||[()]|[^\s()";|]+')
CONSTANT = re.compile(r'"|#[xb]|[0-9]|-[0-9]')
# What connects atoms says little about a bug.
CONNECTIVES = {"and", "or", "not", "=>", "xor", "=", "distinct", "ite", "let", "forall", "exists", "!", "true", "false", "_", "as"}


def trees(text):
    """The s-expressions of a script as nested lists; what is not closed ends with the text."""
    top, stack = [], []
    for token in TOKEN.findall(text):
        if token.startswith(";"):
            continue
        if token == "(":
            stack.append([])
        elif token != ")":
            (stack[-1] if stack else top).append(token)
        elif stack:
            done = stack.pop()
            (stack[-1] if stack else top).append(done)
    return top + stack[:1]


def flat(tree):
    """The tokens of a tree, with its parentheses."""
    out, open_ = [], [tree]
    while open_:
        one = open_.pop()
        if isinstance(one, list):
            out.append("(")
            open_.append(")")
            open_.extend(reversed(one))
        else:
            out.append(one)
    return out


def asserted(text):
    return [tree for tree in trees(text) if isinstance(tree, list) and len(tree) > 1 and tree[0] == "assert"]


def shape(tree, known):
    """A tree as text in which every name is `x` and every constant is `c`; operators stay."""
    def plain(token):
        if token in "()" or token in known:
            return token
        return "c" if CONSTANT.match(token) else "x"
    return " ".join(plain(token) for token in flat(tree))


def shapes(text, known):
    """The shapes of a script's assertions with their sizes."""
    found = {}
    for tree in asserted(text):
        one = shape(tree, known)
        found[one] = sum(word not in "()" for word in one.split())
    return found


def operators(text, known):
    """The operators in a script's assertions and definitions, without connectives where there are others."""
    words = {token for tree in trees(text) if isinstance(tree, list) and tree and tree[0] not in ("set-info", "set-option", "set-logic")
             for token in flat(tree)} & known
    return words - CONNECTIVES or words


def alike(one, other):
    """Whether two sets of operators may belong to one bug: the smaller lies in the other by at least a half."""
    return 2 * len(one & other) >= min(len(one), len(other)) > 0


class Relatives:
    """Scripts to which others may be related."""

    def __init__(self, texts, known):
        self.known = known
        self.scripts = [shapes(text, known) for text in texts]
        self.by_shape = {}
        for number, script in enumerate(self.scripts):
            for one in script:
                self.by_shape.setdefault(one, set()).add(number)

    def of(self, text):
        """Whether a script shares half of the assertions of one of ours, by size, up to names and constants."""
        shared = {}
        for one in shapes(text, self.known):
            for number in self.by_shape.get(one, ()):
                shared[number] = shared.get(number, 0) + self.scripts[number][one]
        return any(2 * size >= sum(self.scripts[number].values()) for number, size in shared.items())
