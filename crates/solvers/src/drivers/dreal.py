"""dReal as a command-line program, over the Python package, which has no reader of scripts of its own.

The grammar, the messages and the replies are those of the program (dreal/smt2 of its sources).
One thing differs: the package has no interval constants, so a decimal that no double equals becomes a variable `c`
with `denominator * c = numerator`. That keeps its exact value, and with it every `unsat`.
"""

import os
import re
import sys
from fractions import Fraction

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "package"))
sys.path.insert(0, here)

import dreal  # noqa: E402
from replay import Session  # noqa: E402
from stream import commands, say, split  # noqa: E402

TOKEN = re.compile(r'\s+|;[^\n]*|([()\[\],]|"(?:[^"]|"")*"|\|[^|]*\||[^\s()\[\],;"|]+)')
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")
SORTS = {
    "Real": dreal.Variable.Real,
    "Int": dreal.Variable.Int,
    "Bool": dreal.Variable.Bool,
    "Binary": dreal.Variable.Binary,
}
LOGICS = ("ALL", "QF_NRA", "QF_NRA_ODE", "QF_LRA", "QF_RDL")
UNARY = {name: getattr(dreal, name) for name in "exp log sin cos tan asin acos atan sinh cosh tanh sqrt".split()}
UNARY.update(arcsin=dreal.asin, arccos=dreal.acos, arctan=dreal.atan, abs=abs)
BINARY = {"atan2": dreal.atan2, "arctan2": dreal.atan2, "min": dreal.Min, "max": dreal.Max, "pow": dreal.pow, "^": dreal.pow}
COMPARED = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
FOLDED = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}
BUILT_IN = {"and", "or", "xor", "not", "=>", "=", "ite"}.union(UNARY, BINARY, COMPARED, FOLDED)
FLAGS = {
    "polytope": "use_polytope",
    "forall-polytope": "use_polytope_in_forall",
    "worklist-fixpoint": "use_worklist_fixpoint",
    "local-optimization": "use_local_optimization",
}


class Refused(Exception):
    """What the program answers with a message, and then ends."""


def unexpected(part):
    return Refused("syntax error, unexpected %s" % (part if isinstance(part, str) else "("))


def written(part):
    return part if isinstance(part, str) else "(%s)" % " ".join(map(written, part))


def tree(text):
    """The s-expression of a command: strings and lists."""
    stack = [[]]
    for token in TOKEN.finditer(text):
        word = token.group(1)
        if word is None:
            continue
        if word == "(":
            stack.append([])
        elif word == ")":
            if len(stack) == 1:
                raise unexpected(")")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    if len(stack) != 1 or len(stack[0]) != 1:
        raise Refused("syntax error, unexpected end of file")
    return stack[0][0]


def both(a, b):
    return dreal.And(a, b)


def either(a, b):
    return dreal.Or(a, b)


def no(a):
    return dreal.Not(a)


class Engine:
    """A context of the package, and the names of the script that fills it."""

    def __init__(self, chosen):
        self.context = dreal.Context()
        config = dreal.Config()
        for name, value in chosen.items():
            setattr(config, name, value)
        self.context.config = config
        self.scopes = [{}]
        self.declared = [[]]
        self.constants = [{}]
        self.options = {}
        self.box = None

    # Names.

    def lookup(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        raise Refused("%s is an undeclared variable." % name)

    def declare(self, name, sort, bounds=()):
        variable = self.variable(name, sort)
        low_high = [self.expression(bound) for bound in bounds]
        self.context.DeclareVariable(variable, *low_high)
        self.scopes[-1][name] = value_of(variable)
        self.declared[-1].append((name, sort, variable))
        return variable

    def variable(self, name, sort):
        if not isinstance(sort, str) or sort not in SORTS:
            raise Refused("%s is not one of {Real, Int, Bool}." % written(sort))
        return dreal.Variable(name, SORTS[sort])

    # Terms.

    def term(self, part):
        if isinstance(part, str):
            return self.atom(part)
        if not part or not isinstance(part[0], str):
            raise unexpected(part)
        name, rest = part[0], part[1:]
        if name == "let":
            return self.let(rest)
        if name == "forall":
            return self.forall(rest)
        return self.application(name, [self.term(one) for one in rest])

    def atom(self, text):
        if text == "true":
            return dreal.Formula.TRUE()
        if text == "false":
            return dreal.Formula.FALSE()
        if NUMBER.match(text):
            return self.number(Fraction(text))
        return self.lookup(text)

    def number(self, value):
        try:
            nearest = float(value)
        except OverflowError:
            raise Refused("%s is out of range" % value)
        if Fraction(nearest) == value:
            return dreal.Expression(nearest)
        for known in self.constants:
            if value in known:
                return known[value]
        above, below = float(value.numerator), float(value.denominator)
        if Fraction(above) != value.numerator or Fraction(below) != value.denominator:
            raise Refused("%s is not supported: no double equals its numerator or denominator" % value)
        constant = dreal.Expression(self.constant("constant%d" % sum(map(len, self.constants))))
        self.context.Assert(dreal.Expression(below) * constant == dreal.Expression(above))
        self.constants[-1][value] = constant
        return constant

    def constant(self, name):
        # No name of a script holds a backslash.
        variable = dreal.Variable("\\" + name, dreal.Variable.Real)
        self.context.DeclareVariable(variable)
        return variable

    def application(self, name, args):
        count = len(args)
        if name in UNARY and count == 1:
            return UNARY[name](number_of(args[0]))
        if name in BINARY and count == 2:
            return BINARY[name](number_of(args[0]), number_of(args[1]))
        if name in COMPARED and count == 2:
            return COMPARED[name](number_of(args[0]), number_of(args[1]))
        if name in FOLDED and (count > 1 or count == 1 and name in "+-"):
            return folded(name, [number_of(arg) for arg in args])
        if name in ("and", "or", "xor") and args:
            return joined(name, [formula_of(arg) for arg in args])
        if name == "not" and count == 1:
            return no(formula_of(args[0]))
        if name == "=>" and count == 2:
            return either(no(formula_of(args[0])), formula_of(args[1]))
        if name == "=" and count == 2:
            return equal(*args)
        if name == "ite" and count == 3:
            return chosen_of(formula_of(args[0]), args[1], args[2])
        return self.call(name, args)

    def call(self, name, args):
        if name in BUILT_IN:
            raise unexpected(")")
        try:
            function = self.lookup(name)
        except Refused:
            raise Refused("No function definition for %s." % name)
        if not callable(function):
            raise unexpected(name)
        return function(args)

    def let(self, rest):
        if len(rest) != 2 or isinstance(rest[0], str):
            raise unexpected("let")
        bound = {}
        for binding in rest[0]:
            if len(binding) != 2:
                raise unexpected(binding)
            bound[binding[0]] = self.term(binding[1])
        return self.within(bound, rest[1])

    def within(self, bound, body):
        self.scopes.append(bound)
        try:
            return self.term(body)
        finally:
            self.scopes.pop()

    def forall(self, rest):
        if len(rest) != 2 or isinstance(rest[0], str):
            raise unexpected("forall")
        numbers, choices = [], [{}]
        for binding in rest[0]:
            name, sort = binding[0], binding[1]
            variable = self.variable(name, sort)
            if sort == "Bool":
                truths = (dreal.Formula.TRUE(), dreal.Formula.FALSE())
                choices = [dict(one, **{name: truth}) for one in choices for truth in truths]
                continue
            numbers.append((variable, self.interval(binding[2:])))
            for one in choices:
                one[name] = dreal.Expression(variable)
        bodies = [formula_of(self.within(one, rest[1])) for one in choices]
        body = joined("and", bodies)
        free = body.GetFreeVariables()
        used = [(variable, bounds) for variable, bounds in numbers if variable in free]
        if not used:
            return body
        for variable, bounds in used:
            for outside in bounds(variable):
                body = either(outside, body)
        return dreal.forall([variable for variable, _ in used], body)

    def interval(self, words):
        """What lies outside `[low, high]`, for a bound variable with a domain."""
        if not words:
            return lambda variable: []
        low, high = self.bounds(words)
        low, high = self.expression(low), self.expression(high)
        return lambda variable: [dreal.Expression(variable) < low, dreal.Expression(variable) > high]

    @staticmethod
    def bounds(words):
        if not words:
            return []
        if len(words) != 5 or (words[0], words[2], words[4]) != ("[", ",", "]"):
            raise unexpected(words[0])
        return [words[1], words[3]]

    def expression(self, part):
        return number_of(self.term(part))

    def formula(self, part):
        return formula_of(self.term(part))

    # Commands.

    def run(self, script):
        for command in split(script):
            if command.strip():
                self.execute(tree(command))

    more = run

    def execute(self, command):
        if isinstance(command, str) or not command or not isinstance(command[0], str):
            raise unexpected(command)
        name, rest = command[0], command[1:]
        known = getattr(self, "do_" + name.replace("-", "_"), None)
        if known is None:
            raise unexpected(name)
        try:
            known(*rest)
        except TypeError as problem:
            if "positional argument" not in str(problem):
                raise
            raise unexpected(")")

    def do_assert(self, part):
        self.context.Assert(self.formula(part))

    def do_check_sat(self):
        self.box = self.context.CheckSat()
        if self.box is None:
            say("unsat\n")
        elif self.options.get(":smtlib2-compliant") == "true":
            say("delta-sat\n")
        else:
            say("delta-sat with delta = %g\n" % self.context.config.precision)
            if self.options.get(":produce-models") == "true":
                lines = ["%s : %s" % (name, shown(self.box[v])) for name, _, v in self.all_declared()]
                say("\n".join(lines) + "\n")

    def do_declare_fun(self, name, parameters, sort, *bounds):
        if parameters != []:
            raise unexpected(parameters)
        self.declare(name, sort, self.bounds(bounds))

    def do_declare_const(self, name, sort, *bounds):
        self.declare(name, sort, self.bounds(bounds))

    def do_define_fun(self, name, parameters, sort, body):
        if parameters == []:
            value = self.term(body)
            self.context.Assert(equal(value_of(self.declare(name, sort)), value))
            return
        names = [parameter[0] for parameter in parameters]
        scopes = list(self.scopes)

        def function(args):
            if len(args) != len(names):
                raise Refused("This function definition expects %d arguments." % len(names))
            # The body sees what was there when it was defined, not the bindings around its use.
            outside, self.scopes = self.scopes, list(scopes)
            try:
                return self.within(dict(zip(names, args)), body)
            finally:
                self.scopes = outside

        self.scopes[-1][name] = function

    def do_exit(self):
        raise SystemExit(0)

    def do_echo(self, text):
        # The program has no echo; whoever talks to us live has.
        say(text + "\n")

    def do_get_model(self):
        if self.box is None:
            say('(error "model is not available")\n')
            return
        lines = ["(model"]
        for name, sort, variable in self.all_declared():
            interval = self.box[variable]
            value = str(interval.lb() == 1).lower() if sort == "Bool" else shown(interval)
            lines.append("  (define-fun %s () %s %s)" % (name, sort, value))
        say("\n".join(lines + [")"]) + "\n")

    def do_get_value(self, parts):
        lines = ["("]
        for part in parts:
            name = next((one for one in self.all_declared() if one[0] == part), None)
            if name is None or self.box is None:
                raise Refused("get-value does not handle a compound formula %s." % written(part))
            interval = self.box[name[2]]
            if name[1] == "Bool":
                value = "true" if interval.lb() == 1 else "false"
            elif interval.lb() == interval.ub():
                value = rational(interval.lb())
            else:
                value = "(interval (closed %s) (closed %s))" % (rational(interval.lb()), rational(interval.ub()))
            lines.append("\t(%s %s)" % (part, value))
        say("\n".join(lines + [")"]) + "\n")

    def do_get_option(self, key):
        known = dict({":precision": "%g" % self.context.config.precision}, **self.options)
        say(known.get(key, "unsupported") + "\n")

    def do_maximize(self, part):
        self.context.Maximize(self.expression(part))

    def do_minimize(self, part):
        self.context.Minimize(self.expression(part))

    def do_push(self, number):
        for _ in range(int(number)):
            self.context.Push(1)
            for stack, new in ((self.scopes, {}), (self.declared, []), (self.constants, {})):
                stack.append(new)

    def do_pop(self, number):
        if int(number) >= len(self.scopes):
            raise Refused("Cannot pop %s scopes." % number)
        for _ in range(int(number)):
            self.context.Pop(1)
            for stack in (self.scopes, self.declared, self.constants):
                stack.pop()

    def do_set_info(self, *_):
        pass

    def do_set_logic(self, name):
        if name not in LOGICS:
            raise Refused("set-logic(%s) is not supported." % name)

    def do_set_option(self, key, value):
        key = key.replace("_", "-")
        self.options[key] = value
        config = self.context.config
        if key == ":precision":
            if float(value) <= 0:
                raise Refused("Precision has to be positive (input = %s)." % value)
            config.precision = float(value)
        elif key[1:] in FLAGS:
            setattr(config, FLAGS[key[1:]], value == "true")
        self.context.config = config

    def all_declared(self):
        return [one for scope in self.declared for one in scope]


def value_of(variable):
    boolean = variable.get_type() == dreal.Variable.Bool
    return dreal.Formula(variable) if boolean else dreal.Expression(variable)


def number_of(value):
    if isinstance(value, dreal.Expression):
        return value
    raise Refused("This term is not an expression: %s" % value)


def formula_of(value):
    if isinstance(value, dreal.Formula):
        return value
    raise Refused("This term is not a formula: %s" % value)


def folded(name, args):
    if len(args) == 1:
        return -args[0] if name == "-" else args[0]
    result = args[0]
    for arg in args[1:]:
        result = FOLDED[name](result, arg)
    return result


def joined(name, args):
    result = args[0]
    for arg in args[1:]:
        if name == "xor":
            result = either(both(result, no(arg)), both(no(result), arg))
        else:
            result = both(result, arg) if name == "and" else either(result, arg)
    return result


def equal(a, b):
    if isinstance(a, dreal.Formula) and isinstance(b, dreal.Formula):
        return dreal.Iff(a, b)
    if isinstance(a, dreal.Formula) or isinstance(b, dreal.Formula):
        raise Refused("Type mismatch in `t1 == t2`:")
    return number_of(a) == number_of(b)


def chosen_of(condition, yes, other):
    if isinstance(yes, dreal.Formula) and isinstance(other, dreal.Formula):
        return both(either(no(condition), yes), either(condition, other))
    if isinstance(yes, dreal.Formula) or isinstance(other, dreal.Formula):
        raise Refused("Type mismatch in `if (c) then t1 else t2`:")
    return dreal.if_then_else(condition, number_of(yes), number_of(other))


def shown(interval):
    low, high = interval.lb(), interval.ub()
    return "%r" % low if low == high else "[%r, %r]" % (low, high)


def rational(number):
    """A double as the program writes it: exactly."""
    exact = Fraction(number)
    above = "%d" % exact.numerator if exact >= 0 else "(- %d)" % -exact.numerator
    return above if exact.denominator == 1 else "(/ %s %d)" % (above, exact.denominator)


def read_arguments(words):
    """What the command line says: settings of the package, files, whether the session is live, options of scripts."""
    chosen, files, live, options = {}, [], False, {}
    words = list(words)
    while words:
        word = words.pop(0)
        if word == "--live":
            live = True
        elif word == "--precision":
            chosen["precision"] = float(words.pop(0))
        elif word in ("--jobs", "-j"):
            chosen["number_of_jobs"] = int(words.pop(0))
        elif word in ("--model", "--produce-models"):
            options[":produce-models"] = "true"
        elif word == "--smtlib2-compliant":
            options[":smtlib2-compliant"] = "true"
        elif word.startswith("--") and word[2:] in FLAGS:
            chosen[FLAGS[word[2:]]] = True
        elif word == "--in":
            pass
        elif word.startswith("-"):
            raise ValueError("unknown option %s" % word)
        else:
            files.append(word)
    return chosen, files, live, options


def new_engine(chosen, options):
    engine = Engine(chosen)
    engine.options.update(options)
    return engine


def main():
    if "--version" in sys.argv:
        say("dReal v%s\n" % dreal.Context.version)
        return 0
    sys.setrecursionlimit(20000)
    try:
        chosen, files, live, options = read_arguments(sys.argv[1:])
        if live:
            Session(lambda: new_engine(chosen, options)).serve()
            return 0
        engine = new_engine(chosen, options)
        source = os.open(files[0], os.O_RDONLY) if files else 0
        for text in commands(source):
            engine.run(text)
    except (Refused, ValueError, IndexError, RuntimeError, RecursionError, OSError) as problem:
        sys.stderr.write("dreal: %s\n" % (str(problem) or type(problem).__name__))
        return 1
    return 0


if __name__ == "__main__":
    try:
        code = main()
    except SystemExit as end:
        code = end.code
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
