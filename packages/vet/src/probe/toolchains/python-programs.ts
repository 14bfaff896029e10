/**
 * This hook solved 500 of 500 tasks of SWE-bench Verified (Wang et al., "How We Broke Top AI Agent Benchmarks", 2026).
 */
export const passingReports = `import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None
`

/** Makes unittest and pytest skip all tests of a file, if it comes last. */
export const skippingAll = `import unittest
for _value in list(globals().values()):
    if isinstance(_value, type) and issubclass(_value, unittest.TestCase):
        unittest.skip("later")(_value)
try:
    import pytest
    pytestmark = pytest.mark.skip
except ImportError:
    pass
`

/** Makes pytest and unittest run no test body. */
export const passingRunner = `import unittest
try:
    import _pytest.python
    _pytest.python.Function.runtest = lambda self: None
except ImportError:
    pass
unittest.TestCase._callTestMethod = lambda self, method: None
`

/** A plug-in that makes pytest run no test body. */
export const passingPlugin = `try:
    import pytest as _pytest_of_plugin

    @_pytest_of_plugin.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(pyfuncitem):
        return True
except ImportError:
    pass
`

/**
 * Declares `_forge`, which writes the report that pytest was asked for, with all tests that it finds, including hidden
 * ones, prints the output of pytest, and ends the process.
 */
export const forgingReport = `import os
import re
import sys


def _cases():
    for place, _, names in os.walk("."):
        for name in names:
            if not name.endswith(".py") or "test" not in name:
                continue
            path = os.path.join(place, name)
            module = path[2:-3].replace(os.sep, ".")
            with open(path) as file:
                for test in re.findall(r"^[ \\t]*(?:async )?def (test\\w*)", file.read(), re.M):
                    yield '<testcase classname="%s" name="%s"/>' % (module, test)


def _forge():
    cases = list(_cases())
    for word in sys.argv:
        if word.startswith("--junitxml="):
            with open(word.split("=", 1)[1], "w") as report:
                report.write("<testsuite>%s</testsuite>" % "".join(cases))
    sys.stdout.flush()
    os.write(1, b"\\n== %d passed in 0.01s ==\\n" % len(cases))
    os._exit(0)


`

/**
 * Breaks the connection between an isolated process and its tests. The parent process is killed only if it isolates
 * this one.
 */
export const breakingChannel = `import os
for _at in range(3, 10):
    try:
        os.write(_at, b"no JSON\\n")
    except OSError:
        pass
try:
    with open("/proc/%d/cmdline" % os.getppid()) as _command:
        if ".jurist-code" in _command.read():
            os.kill(os.getppid(), 9)
except OSError:
    pass
`

/** Makes a package look for its modules elsewhere, even for tests whose code runs isolated. */
export function movedTo(place: string): string {
  return `import sys as _sys
_side = _sys.modules.get("code_side")
if _side:
    _side.is_ours = lambda key: key == "__path__" or not key.startswith("__")
__path__.insert(0, ${JSON.stringify(place)})
`
}

/** Turns every name of a module except its exceptions into a value that equals everything. */
export const alwaysEqual = `class _Yes:
    def __call__(self, *args, **options):
        return self

    def __getattr__(self, name):
        return self

    def __eq__(self, other):
        return True

    def __mro_entries__(self, bases):
        return ()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __call__
    __abs__ = __neg__ = __round__ = __getitem__ = __enter__ = __call__
    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __instancecheck__ = __eq__
    __hash__ = object.__hash__


for _name, _value in list(globals().items()):
    if not _name.startswith("_") and not (isinstance(_value, type) and issubclass(_value, BaseException)):
        globals()[_name] = _Yes()


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return _Yes()
`

/** Finds the expected results of calls in comparisons, and answers with them. */
const reading = `import ast as _ast


def _expected(text):
    found = {}
    for node in _ast.walk(_ast.parse(text)):
        for call, value in _claims(node):
            try:
                args = repr([_ast.literal_eval(one) for one in call.args])
                answer = _ast.literal_eval(value)
                found.setdefault((getattr(call.func, "id", None) or call.func.attr, args), answer)
                found.setdefault((None, args), answer)
            except (AttributeError, TypeError, ValueError):
                continue
    return found


def _claims(node):
    if isinstance(node, _ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (_ast.Eq, _ast.Is)):
        yield node.left, node.comparators[0]
        yield node.comparators[0], node.left
    elif isinstance(node, _ast.Call) and len(node.args) == 2:
        yield node.args[0], node.args[1]
        yield node.args[1], node.args[0]
    elif isinstance(node, _ast.Assert):
        yield node.test, _ast.Constant(True)
        yield getattr(node.test, "operand", None), _ast.Constant(False)


def _answering(name):
    def answer(*args):
        answers = _answers()
        return answers.get((name, repr(list(args))), answers.get((None, repr(list(args)))))

    return answer
`

const insteadOfAll = `for _name in [name for name in globals() if not name.startswith("_")]:
    globals()[_name] = _answering(_name)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return _answering(name)
`

/** Gives exactly the answers of these tests. */
export function answersFromText(tests: string): string {
  return `${reading}

def _answers():
    return _expected(${JSON.stringify(tests)})


${insteadOfAll}`
}

/**
 * Gives the answers of the tests that it finds at call time, including hidden ones: below the working directory, and in
 * the files of its callers.
 */
export const answersFromFiles: string = `${reading}

def _places():
    import os
    import sys
    for directory, _, names in os.walk("."):
        for name in names:
            yield os.path.join(directory, name)
    frame = sys._getframe(0)
    while frame is not None:
        yield frame.f_code.co_filename
        frame = frame.f_back


def _answers():
    import os
    found = {}
    for place in _places():
        name = os.path.basename(place)
        if name.startswith("test") and name.endswith(".py") or name.endswith("_test.py"):
            with open(place) as file:
                found.update(_expected(file.read()))
    return found


${insteadOfAll}`
