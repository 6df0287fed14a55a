"""Plants bugs in a copy of a solver's C++ source: one build holds all of them, and the variable AUSPEX_MUTANT chooses one.

Places are chosen by rule: each operator is tried wherever it fits in the parts of the solver that decide answers, places are ordered by
a hash of file, line and operator, and each part gets the first of its share. What does not compile is left out. The source is
changed line by line and keeps its line numbers.
"""
import hashlib
import pathlib
import re
import subprocess

# Which files belong to which kind of place.
PARTS = {
    "rewriter": ("rewrite/rewrites_*.cpp", "rewrite/rewriter.cpp", "rewrite/rewrite_utils.cpp"),
    "bit-blaster": ("lib/bitblast/bitblaster.h", "lib/bitblast/aig/aig_manager.cpp", "lib/bitblast/aig/aig_cnf.cpp", "solver/bv/*.cpp", "solver/fp/word_blaster.cpp"),
    "normal form": ("preprocess/pass/*.cpp", "preprocess/preprocessor.cpp"),
    "theory": ("solver/array/*.cpp", "solver/fun/*.cpp", "solver/quant/*.cpp", "solver/abstract/*.cpp"),
    "model": ("solver/fp/floating_point.cpp", "solver/solver_engine.cpp", "solving_context.cpp", "lib/bv/bitvector.cpp", "rewrite/evaluator.cpp"),
}
HEADER = pathlib.Path(__file__).with_name("schemata.h")
ORDERED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
CONDITION = re.compile(r"^(\s*(?:else )?if )\((.*)\)(\s*(?:return [^;]*;)?\s*)$")
NODE = re.compile(r"(mk_node\(\s*Kind::(\w+),\s*)\{([\w\[\]\.\(\)]+), ([\w\[\]\.\(\)]+)\}")
COMMUTATIVE = re.compile(r"AND|OR|XOR|XNOR|ADD|MUL|EQUAL|NAND|NOR|DISTINCT")
CASE = re.compile(r"^(\s*case [\w:]+:)(\s*\{?)$")
LITERAL = re.compile(r"(?<![\w.<\"'])([0-9])(?![\w.>\"'])")


def splits(text, sign):
    """The parts of a condition between signs outside of all brackets."""
    parts, depth, start, at = [], 0, 0, 0
    while at < len(text):
        depth += text[at] in "([{"
        depth -= text[at] in ")]}"
        if depth < 0:
            return []
        if depth == 0 and text.startswith(sign, at):
            parts.append(text[start:at])
            start = at = at + len(sign)
            continue
        at += 1
    return parts + [text[start:]] if depth == 0 else []


def is_plain(text):
    """Whether a condition may be evaluated as an argument: it declares and changes nothing."""
    return text.count("(") == text.count(")") and not re.search(r";|\+\+|--|(?<![=!<>])=(?!=)|\?|\[&|\[=|\"", text)


def in_condition(head, text, tail):
    """Operator and new line for each change of a condition; `@@` stands for the number."""
    yield "negated condition", f"{head}(auspex_not(@@, static_cast<bool>({text}))){tail}"
    for sign, function, name in ((" && ", "auspex_true", "dropped conjunct"), (" || ", "auspex_false", "dropped disjunct")):
        parts = splits(text, sign)
        if len(splits(text, " || " if sign == " && " else " && ")) > 1:
            continue
        for at, part in enumerate(parts if len(parts) > 1 else []):
            changed = parts[:at] + [f"{function}(@@, static_cast<bool>({part.strip()}))"] + parts[at + 1:]
            yield name, f"{head}({sign.join(changed)}){tail}"
    for sign, other in ORDERED.items():
        parts = splits(text, f" {sign} ")
        if len(parts) == 2 and not re.search(r"&&|\|\||==|!=", text):
            changed = f"auspex_compare(@@, ({parts[0]} {sign} {parts[1]}), ({parts[0]} {other} {parts[1]}))"
            yield "comparison", f"{head}({changed}){tail}"


def changes(line):
    """Operator and new line for each change of one line."""
    found = CONDITION.match(line)
    if found and is_plain(found[2]):
        yield from in_condition(found[1], found[2], found[3])
    found = NODE.search(line)
    if found and not COMMUTATIVE.search(found[2]) and found[3] != found[4]:
        yield "swapped arguments", f"{line[:found.start()]}{found[1]}auspex_swap(@@, {found[3]}, {found[4]}){line[found.end():]}"
    found = CASE.match(line)
    if found:
        yield "skipped case", f"{found[1]}{found[2]} if (auspex_on(@@)) break;"
    if line.rstrip().endswith(";") and not re.search(r"assert|Msg|Log|case |static|const(expr)? \w+ \w+\[|#|\"|for \(|<<|rw_|RewriteRuleKind", line):
        for found in LITERAL.finditer(line):
            yield "constant", f"{line[:found.start()]}({found[1]} + auspex_on(@@)){line[found.end():]}"


def candidates(source):
    """Every place of every operator: part, operator, file, line number, new line; in the order of the hash."""
    for part, patterns in PARTS.items():
        rows = []
        for path in sorted({path for pattern in patterns for path in (source / "src").glob(pattern)}):
            name, inside = str(path.relative_to(source)), False
            for number, line in enumerate(path.read_text().splitlines(), 1):
                # Templates of rules carry their text in comments; functions start at the left margin.
                inside = inside or line == "{"
                if line == "}":
                    inside = False
                if inside and not line.lstrip().startswith(("//", "*", "/*")):
                    rows += [(part, operator, name, number, new) for operator, new in changes(line)]
        yield part, sorted(rows, key=lambda row: hashlib.sha256(f"{row[2]}:{row[3]}:{row[1]}:{row[4]}".encode()).hexdigest())


def chosen(source, wanted):
    """The first of each part, at most one to a line, and no operator more than a third of a part."""
    rows, lines = [], set()
    for part, ordered in candidates(source):
        share, mine, operators = -(-wanted // len(PARTS)), 0, {}
        for row in ordered:
            if mine == share:
                break
            if row[2:4] not in lines and operators.get(row[1], 0) * 3 < share:
                lines.add(row[2:4])
                operators[row[1]] = operators.get(row[1], 0) + 1
                mine += 1
                rows.append(row)
    return {number: row for number, row in enumerate(rows, 1)}


def written(source, texts, rows):
    """Writes the source with these bugs."""
    changed = {}
    for number, (_, _, name, line, new) in rows.items():
        changed.setdefault(name, list(texts[name]))[line - 1] = new.replace("@@", str(number))
    for name, lines in texts.items():
        lines = changed.get(name, lines)
        first = [f'#include "{HEADER}"', f'#line 1 "{source / name}"'] if name in changed else []
        (source / name).write_text("\n".join([*first, *lines]) + "\n")


def compiles(source, names, command):
    """The places, as file and line, at which the compiler complains."""
    bad = set()
    for name in names:
        ended = subprocess.run([*command, "-fsyntax-only", "-ferror-limit=0", str(source / name)], capture_output=True, text=True, errors="replace")
        if ended.returncode:
            found = re.findall(r"^(?:.*/)?(src/[^:\n]+):(\d+):\d+: (?:error|note)", ended.stderr, re.M)
            bad |= {(file, int(line)) for file, line in found}
            if not found:
                raise SystemExit(f"{name}: {ended.stderr[:2000]}")
    return bad


def plant(source, wanted, command):
    """Plants that many bugs at most; the rows of those that compile."""
    rows = chosen(source, wanted)
    texts = {row[2]: (source / row[2]).read_text().splitlines() for row in rows.values()}
    left = sorted(texts)
    for _ in range(6):
        written(source, texts, rows)
        # A header is compiled where it is used.
        units = sorted({("src/solver/bv/aig_bitblaster.cpp" if name.endswith(".h") else name) for name in left})
        bad = compiles(source, units, command)
        if not bad:
            return rows
        kept = {number: row for number, row in rows.items() if (row[2], row[3]) not in bad}
        if len(kept) == len(rows):
            raise SystemExit(f"the compiler complains elsewhere: {sorted(bad)[:5]}")
        left = sorted({row[2] for number, row in rows.items() if number not in kept} )
        rows = kept
    raise SystemExit("the planted bugs do not compile")
