"""Auditors with one check taken out of them.

A mutant is a module graph of its own, executed from the sources under other names: the modules everybody else imports
are left alone. A site is one check: a `raise`, one condition of several that lead to it, one bound of a number, one
step before something may happen.
"""

from __future__ import annotations

import ast
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

from msgspec import Struct

ROOT = Path(__file__).parents[2]
PREFIX = "mutant."
STAGES = ("committed", "sealed", "logged", "fixed", "ready", "voided", "closed")
LOOSE = {
    **dict.fromkeys(("Hash", "Octets", "MatchId", "Kept"), "str"),
    **dict.fromkeys(("Seat", "DealNumber", "Byte", "Rolls", "Width"), "int"),
}
"""What is left of the type of a member without its limits."""
NEVER = ast.Constant(value=False)
ALWAYS = ast.Constant(value=True)
HEARD = "heard_at"
"""What code that tells of itself calls."""
Modules = dict[str, ModuleType]
Heard = Callable[[str, int], None]
Change = tuple[ast.AST, ast.AST]
"""What stands in a syntax tree, and what takes its place."""


class Site(Struct):
    """A check, and what to put in its place to take it out."""

    module: str
    line: int
    text: str
    parent: ast.AST
    field: str
    at: int | None
    instead: ast.AST

    @property
    def name(self) -> str:
        return f"{self.module.rpartition('.')[2]} {self.text}"

    def swap(self) -> None:
        """Take the check out of the tree; once more, and it is back."""
        held = getattr(self.parent, self.field)
        if self.at is None:
            setattr(self.parent, self.field, self.instead)
            self.instead = held
        else:
            held[self.at], self.instead = self.instead, held[self.at]


class Sources:
    """The syntax trees of some modules, in the order in which they can be executed."""

    def __init__(self, names: list[str]) -> None:
        left = {name: ast.parse(_path(name).read_text(encoding="utf-8")) for name in names}
        self.trees: dict[str, ast.Module] = {}
        while left:
            ready = next(name for name, tree in left.items() if not _imported(tree) & left.keys())
            self.trees[ready] = left.pop(ready)
        for tree in self.trees.values():
            for node in _imports(tree):
                if _named(node) & self.trees.keys():
                    node.module = f"{PREFIX}{node.module}"
        self.codes = {name: self._compiled(name) for name in self.trees}

    def _compiled(self, name: str) -> CodeType:
        return compile(ast.fix_missing_locations(self.trees[name]), str(_path(name)), "exec")

    def _telling(self) -> dict[str, CodeType]:
        """Return code that says of each statement of a function that it begins, in which module and on which line."""
        made = {}
        for name, tree in self.trees.items():
            told = ast.fix_missing_locations(Telling(name).visit(deepcopy(tree)))
            made[name] = compile(told, str(_path(name)), "exec")
        return made

    @contextmanager
    def executed(self, site: Site | None = None, heard: Heard | None = None) -> Iterator[Modules]:
        """Execute all modules, one of them without this check, or all telling what they do; forget them in the end."""
        codes = dict(self.codes) if heard is None else self._telling()
        if site is not None:
            site.swap()
            try:
                codes[site.module] = self._compiled(site.module)
            finally:
                site.swap()
        made: Modules = {}
        try:
            for name, code in codes.items():
                made[name] = _empty(PREFIX + name)
                setattr(made[name], HEARD, heard)
                exec(code, made[name].__dict__)
            yield made
        finally:
            for name in [name for name in sys.modules if f"{name}.".startswith(PREFIX)]:
                del sys.modules[name]


class Telling(ast.NodeTransformer):
    """Puts a call before each statement of each function of a module."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.depth = 0

    def generic_visit(self, node: ast.AST) -> ast.AST:
        self.depth += isinstance(node, ast.FunctionDef)
        super().generic_visit(node)
        for _, value in ast.iter_fields(node):
            if self.depth and isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                value[:] = [each for statement in value for each in (self._told(statement), statement)]
        self.depth -= isinstance(node, ast.FunctionDef)
        return node

    def _told(self, statement: ast.stmt) -> ast.stmt:
        place: list[ast.expr] = [ast.Constant(self.module), ast.Constant(statement.lineno)]
        return ast.copy_location(ast.Expr(ast.Call(ast.Name(HEARD, ast.Load()), place, [])), statement)


def _path(module: str) -> Path:
    return ROOT / (module.replace(".", "/") + ".py")


def _imports(tree: ast.Module) -> list[ast.ImportFrom]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]


def _named(node: ast.ImportFrom) -> set[str]:
    return {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}


def _imported(tree: ast.Module) -> set[str]:
    return {name for node in _imports(tree) for name in _named(node)}


def _empty(name: str) -> ModuleType:
    """Return an empty module that can be imported, in packages that can."""
    package, _, last = name.rpartition(".")
    module = sys.modules[name] = sys.modules.get(name) or ModuleType(name)
    if package:
        setattr(_empty(package), last, module)
    return module


# ---- what can be taken out ----------------------------------------------------------------------


def sites_of(sources: Sources, module: str) -> list[Site]:
    """Return every check of a module, in its order."""
    tree = sources.trees[module]
    places: dict[int, tuple[ast.AST, str, int | None]] = {}
    inside: dict[int, str] = {}
    for node in ast.walk(tree):
        here = node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else inside.get(id(node), "")
        here = f"{here} {_text(node.func)}" if isinstance(node, ast.Call) else here
        for field, value in ast.iter_fields(node):
            for at, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                places[id(child)] = (node, field, at)
                inside[id(child)] = here
    found: dict[tuple[int, str], Site] = {}
    for old, new in _changes(tree):
        text, line = f"{inside[id(old)]}: {_text(old)} => {_text(new)}", getattr(old, "lineno", 0)
        found.setdefault((line, text), Site(module, line, text, *places[id(old)], new))
    return sorted(found.values(), key=lambda site: site.line)


def _changes(tree: ast.Module) -> Iterator[Change]:
    aliases = [node for node in tree.body if isinstance(node, ast.Assign) and "Annotated[" in _text(node.value)]
    limited = {_text(target) for node in aliases for target in node.targets}
    for node in ast.walk(tree):
        match node:
            case ast.Raise() | ast.Expr(ast.Call()):
                yield node, ast.Pass()
            case ast.If():
                yield from _conditions(node)
            case ast.match_case(guard=ast.expr() as guard):
                yield from ((guard, new) for new in _looser(guard))
            case ast.FunctionDef(returns=ast.Name("bool")):
                yield from _answers(node)
            case ast.Assign(value=ast.BoolOp() | ast.Compare() as value):
                yield from ((value, new) for new in (*_looser(value), *_stricter(value)))
            case ast.Call():
                yield from ((node, new) for new in _calls(node))
            case ast.ClassDef():
                yield from _members(node, limited)
            case _:
                pass


def _conditions(node: ast.If) -> Iterator[Change]:
    if any(_stops(each) for each in node.body):
        yield from ((node.test, new) for new in (NEVER, *_stricter(node.test)))


def _stops(node: ast.stmt) -> bool:
    return isinstance(node, ast.Raise) or _text(node) == "return False"


def _answers(function: ast.FunctionDef) -> Iterator[Change]:
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None and _text(node.value) != "True":
            yield from ((node.value, new) for new in (ALWAYS, *_looser(node.value)))


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    """Yield a call that checks less: every signature fits, a deal may be at one more stage, a number has no bound."""
    called = _text(node.func).rpartition(".")[2]
    if called == "verify":
        yield ALWAYS
    if called == "_deal_at":
        given = {_text(each) for each in node.args}
        yield from (
            ast.Call(node.func, [*node.args, ast.Constant(stage)], []) for stage in STAGES if repr(stage) not in given
        )
    if called == "Meta":
        yield from (ast.Call(node.func, node.args, _but(node.keywords, at)) for at in range(len(node.keywords)))


def _members(node: ast.ClassDef, limited: set[str]) -> Iterator[Change]:
    for keyword in node.keywords:
        if keyword.arg == "forbid_unknown_fields":
            yield keyword.value, NEVER
    for member in node.body:
        if isinstance(member, ast.AnnAssign):
            for each in ast.walk(member.annotation):
                alias, _, name = _text(each).rpartition(".")
                if name in LOOSE and (name in limited or alias == "shapes"):
                    yield each, ast.Name(LOOSE[name], ast.Load())
                elif _text(each) == "Literal[1]":
                    yield each, ast.Name("int", ast.Load())


def _looser(test: ast.expr) -> Iterator[ast.expr]:
    """Yield the test with one part of it taken out, so that it holds more often."""
    match test:
        case ast.BoolOp(ast.And(), values):
            yield from _without(test, values)
            yield from _within(test, values, _looser)
        case ast.BoolOp(ast.Or(), values):
            yield from _within(test, values, _looser)
        case ast.UnaryOp(ast.Not(), inner):
            yield from (ast.UnaryOp(ast.Not(), new) for new in _stricter(inner))
        case ast.Compare(left, ops, others) if len(ops) > 1:
            yield ast.Compare(others[0], ops[1:], others[1:])
            yield ast.Compare(left, ops[:-1], others[:-1])
        case ast.Compare(ast.Tuple(), [ast.Eq()], [ast.Tuple()]):
            yield from _shorter(test)
        case ast.Call(ast.Name("all"), [ast.GeneratorExp(element, parts)]):
            yield from (ast.Call(test.func, [ast.GeneratorExp(new, parts)], []) for new in _looser(element))
        case _:
            pass


def _stricter(test: ast.expr) -> Iterator[ast.expr]:
    """Yield the test with one part of it taken out, so that it holds less often."""
    match test:
        case ast.BoolOp(ast.Or(), values):
            yield from _without(test, values)
            yield from _within(test, values, _stricter)
        case ast.BoolOp(ast.And(), values):
            yield from _within(test, values, _stricter)
        case ast.UnaryOp(ast.Not(), inner):
            yield from (ast.UnaryOp(ast.Not(), new) for new in _looser(inner))
        case ast.Compare(ast.Tuple(), [ast.NotEq()], [ast.Tuple()]):
            yield from _shorter(test)
        case ast.Compare(left, [ast.In() as within], [ast.Set(items)]):
            yield from (ast.Compare(left, [within], [ast.Set(_but(items, at))]) for at in range(len(items)))
        case ast.Call(ast.Name("any"), [ast.GeneratorExp(element, parts)]):
            yield from (ast.Call(test.func, [ast.GeneratorExp(new, parts)], []) for new in _stricter(element))
        case _:
            pass


def _without(test: ast.BoolOp, values: list[ast.expr]) -> Iterator[ast.expr]:
    for at in range(len(values)):
        rest = _but(values, at)
        yield rest[0] if len(rest) == 1 else ast.BoolOp(test.op, rest)


def _within(
    test: ast.BoolOp, values: list[ast.expr], change: Callable[[ast.expr], Iterable[ast.expr]]
) -> Iterator[ast.expr]:
    for at, value in enumerate(values):
        yield from (ast.BoolOp(test.op, [*values[:at], new, *values[at + 1 :]]) for new in change(value))


def _shorter(test: ast.Compare) -> Iterator[ast.expr]:
    """Yield a comparison of two rows with one column less."""
    left, right = [side.elts for side in (test.left, test.comparators[0]) if isinstance(side, ast.Tuple)]
    for at in range(len(left)):
        rows: list[ast.expr] = [ast.Tuple(_but(row, at), ast.Load()) for row in (left, right)]
        yield ast.Compare(rows[0], test.ops, rows[1:])


def _but(items: list[Any], at: int) -> list[Any]:
    return [*items[:at], *items[at + 1 :]]


def _text(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())


# ---- whether anybody notices --------------------------------------------------------------------


class Suite:
    """Questions with the answers of the auditor as it is, where it stood when it refused, and what it came by."""

    def __init__(self, sources: Sources, questions: list[Any], ask: Callable[[Any, Modules], str]) -> None:
        self.sources = sources
        self.questions = questions
        self.ask = ask
        self.refused: dict[tuple[str, int], list[int]] = defaultdict(list)
        self.came_by: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        self.truth: list[str] = []
        self._last = 0
        heard = set[tuple[str, int]]()
        with sources.executed(heard=lambda module, line: heard.add((module, line))) as modules:
            self._watch(modules)
            for number, question in enumerate(questions):
                heard.clear()
                self.truth.append(ask(question, modules))
                for module, line in heard:
                    self.came_by[module][line].append(number)

    def _watch(self, modules: Modules) -> None:
        """Let every exception of these modules note where it is raised, and on whose behalf."""
        for module in modules.values():
            for kind in list(vars(module).values()):
                if isinstance(kind, type) and issubclass(kind, Exception) and kind.__module__ == module.__name__:
                    setattr(kind, "__init__", self._noting(kind.__init__))  # noqa: B010 - mypy lets no method be assigned

    def _noting(self, init: Callable[..., None]) -> Callable[..., None]:
        def noting(*arguments: object) -> None:
            frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - nothing else tells who calls
            while frame is not None:
                module = str(frame.f_globals.get("__name__"))
                if module.startswith(PREFIX):
                    self.refused[module.removeprefix(PREFIX), frame.f_lineno].append(len(self.truth))
                frame = frame.f_back
            init(*arguments)

        return noting

    def notices(self, site: Site) -> bool:
        """Report whether any answer is another without this check."""
        with self.sources.executed(site) as modules:
            for at in self._order(site):
                if self.ask(self.questions[at], modules) != self.truth[at]:
                    self._last = at
                    return True
        return False

    def _order(self, site: Site) -> Iterable[int]:
        """Return all questions, those first that are likely to tell.

        What was refused near a check is asked first, then what came by it, then what is like the last one that told.
        """
        near = [at for line in range(site.line - 1, site.line + 6) for at in self.refused[site.module, line]]
        lines = sorted(self.came_by[site.module])
        statement = lines[max(0, bisect_right(lines, site.line) - 1)] if lines else 0
        rest = sorted(range(len(self.questions)), key=lambda at: abs(at - self._last))
        return dict.fromkeys([*near, *self.came_by[site.module][statement], *rest])
