"""Among the tests, in the place of the code under test: functions and classes that ask the process in which the code is.
Only values come back, so nothing of the code can reach the assertions or the runner."""

import asyncio
import builtins
import importlib.machinery
import importlib.util
import inspect
import json
import os
import socket
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
MOST_BYTES = 64 * 1024 * 1024


def own_module(name):
    """A module beside this one, under a name that no project has."""
    spec = importlib.util.spec_from_file_location(f"_jurist_{name}", os.path.join(HERE, f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


values = own_module("values")


def refuse(what):
    """Notes what cannot be passed on, where the judge finds it, whatever the test makes of the error."""
    with open(os.path.join(HERE, "unfit.jsonl"), "a", encoding="utf-8") as notes:
        notes.write(json.dumps(what) + "\n")
    raise RuntimeError(f"not isolatable: {what} cannot be passed between the tests and the code under test")


class Connection:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.path.join(HERE, "python"))
        self.lines = self.socket.makefile("rb")
        self.turn = threading.RLock()

    def ask(self, message):
        with self.turn:
            try:
                self.socket.sendall((json.dumps(message) + "\n").encode())
                line = self.lines.readline(MOST_BYTES)
            except OSError as thrown:
                return {"ended": str(thrown)}
        if not line.endswith(b"\n"):
            return {"ended": "the connection is closed" if len(line) < MOST_BYTES else "the answer is too long"}
        return json.loads(line)


connection = None
process = None
objects = {}
numbers = {}
classes = {}


def ask(message):
    """A process that was forked from that of the tests gets one of its own."""
    global connection, process
    if process != os.getpid():
        connection, process = Connection(), os.getpid()
    return connection.ask(message)


def refer(value):
    number = numbers.get(id(value))
    return None if number is None else {"$": "object-of-test", "is": number}


def encoded(value):
    try:
        return values.encode(value, refer)
    except values.Unfit as unfit:
        return refuse(f"an argument that is or has {unfit}")


def decoded(form):
    return values.decode(form, lambda form: Chained(form["is"]) if form.get("is") in objects else refuse("an unknown form"))


def is_plain(name):
    """A name that a module or a class may have from the code: what begins with two underscores is for the language."""
    return isinstance(name, str) and name.isidentifier() and not name.startswith("__")


def request(message, args=(), named={}):
    given = {"args": [encoded(one) for one in args], "named": {key: encoded(one) for key, one in named.items()}}
    reply = ask({**message, **given})
    if "ended" in reply:
        raise RuntimeError(f"The process of the code under test ended ({reply['ended']}).")
    if "unfit" in reply:
        refuse(f"what {name_of(message)} gives: {reply['unfit']}")
    for one, form in zip(args, reply.get("args", [])):
        replace(one, decoded(form))
    for key, form in reply.get("named", {}).items():
        replace(named[key], decoded(form))
    if "thrown" in reply:
        raise error_of(reply["thrown"]) from None
    if reply.get("method"):
        return method_of({"verb": "invoke", "object": message["object"], "name": message["name"]}, reply.get("isAsync"))
    return args[reply["argument"]] if "argument" in reply else decoded(reply["value"])


def name_of(message):
    return ".".join([message.get("module", ""), *message.get("path", []), str(message.get("name", ""))]).strip(".")


def replace(target, changed):
    """Makes a value of a test what the code has made of it."""
    if isinstance(target, (list, bytearray)):
        target[:] = changed
    elif isinstance(target, dict):
        if list(target.items()) != list(changed.items()):
            target.clear()
            target.update(changed)
    elif hasattr(target, "clear") and hasattr(target, "update"):
        target.clear()
        target.update(changed)
    elif hasattr(target, "clear") and hasattr(target, "extend"):
        target.clear()
        target.extend(changed)


def error_of(thrown):
    kind = classes.get(tuple(thrown["class"])) or language_error(thrown["base"]) or Exception
    args = [decoded(one) for one in thrown["args"]]
    made = kind.__new__(kind, *args)
    made.args = tuple(args)
    for key, form in thrown["own"].items():
        try:
            if is_plain(key):
                setattr(made, key, decoded(form))
        except (AttributeError, TypeError):
            pass
    return made


#: To a runner these mean something else than a failed test.
NOT_THROWN = ("KeyboardInterrupt", "GeneratorExit", "BaseException", "BaseExceptionGroup")


def language_error(name):
    kind = None if name in NOT_THROWN else getattr(builtins, str(name), None)
    return kind if isinstance(kind, type) and issubclass(kind, BaseException) else None


def method_of(message, is_async, doc=""):
    def call(*args, **named):
        return request(message, args, named)

    async def call_later(*args, **named):
        return await asyncio.get_running_loop().run_in_executor(None, lambda: request(message, args, named))

    made = call_later if is_async else call
    made.__name__ = made.__qualname__ = (message.get("path") or [message.get("name")])[-1]
    made.__doc__ = doc
    return made


#: What a test may do with an object that it made: all else is for the assertions and the runner, and is not passed on.
PASSED_ON = {
    f"__{name}__"
    for name in (
        "len length_hint bool iter next reversed contains getitem setitem delitem missing call enter exit str bytes int float complex "
        "index round trunc floor ceil abs neg pos invert lt le gt ge add sub mul matmul truediv floordiv mod divmod pow lshift rshift "
        "and or xor radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor iadd isub imul imatmul "
        "itruediv ifloordiv imod ipow ilshift irshift iand ior ixor"
    ).split()
}

#: Asked of a value, these say something about another one: the code must not say it of what it gives as a value.
ABOUT_OTHERS = {
    "count", "index", "find", "rfind", "rindex", "startswith", "endswith", "issubset", "issuperset", "isdisjoint", "isclose",
    "equals", "match", "fullmatch", "search",
}  # fmt: skip


class Chained:
    """An object that the code gave back: a test may go on with its methods. It is no value, so it has no operators."""

    def __init__(self, number):
        object.__setattr__(self, "_number", number)
        numbers[id(self)] = number
        kept.append(self)

    def __getattr__(self, name):
        if name in ABOUT_OTHERS or not is_plain(name):
            raise refuse_attribute(name)
        return request({"verb": "get", "object": object.__getattribute__(self, "_number"), "name": name})

    def __setattr__(self, name, value):
        refuse("a change of an object that the code gave back")

    def __eq__(self, other):
        return self is other or refuse("a comparison of an object that the code gave back")

    __hash__ = object.__hash__

    def __repr__(self):
        return "<an object that the code under test gave back>"


#: Their numbers are known by their ids, which must not be given to others.
kept = []


def refuse_attribute(name):
    """Libraries ask every value for names of the language; a test that asks is told what is wrong."""
    return AttributeError(name) if not is_plain(name) else refuse(f"{name} of an object that the code gave back")


def functions_of_originals():
    with open(os.path.join(HERE, "functions.json"), encoding="utf-8") as names:
        return set(json.load(names))


FUNCTIONS = functions_of_originals()


def class_of(module, name, description):
    base = language_error(description["base"])
    if name in FUNCTIONS:
        return Unusable(f"{module}.{name}: a class instead of a function")
    members = {"__module__": module, **{key: decoded(form) for key, form in description["attributes"].items() if is_plain(key)}}
    target = {"module": module, "path": [name]}
    for shared in description["shared"]:
        if is_plain(shared):
            members[shared] = staticmethod(method_of({"verb": "call", "module": module, "path": [name, shared]}, False))
    made = exception_of(description, base, members) if base else object_class(description, target, members)
    classes[(description["module"], description["name"])] = made
    return made


def exception_of(description, base, members):
    parents = [classes[tuple(parent)] for parent in description["parents"] if tuple(parent) in classes]
    return type(description["name"], (parents[0] if parents else base,), members)


def object_class(description, target, members):
    def construct(kind, *args, **named):
        if kind is not made:
            refuse(f"a class that extends {description['name']}")
        given = {"args": [encoded(one) for one in args], "named": {key: encoded(one) for key, one in named.items()}}
        reply = ask({"verb": "construct", **target, **given})
        form = reply.get("value")
        if not isinstance(form, dict) or form.get("$") != "object-of-test":
            return fail_construction(reply, target)
        self = object.__new__(kind)
        objects[form["is"]] = self
        numbers[id(self)] = form["is"]
        return self

    def number(self):
        return numbers[id(self)]

    members.update({
        "__new__": construct,
        "__init__": lambda self, *args, **named: None,
        "__getattr__": lambda self, name: request({"verb": "get", "object": number(self), "name": name}),
        "__setattr__": lambda self, name, value: request({"verb": "set", "object": number(self), "name": name}, (value,)),
        "__delattr__": lambda self, name: request({"verb": "delete", "object": number(self), "name": name}),
        "__eq__": lambda self, other: self is other or refuse("a comparison of an object of a class"),
        "__hash__": lambda self: id(self),
        "__repr__": lambda self: f"<{description['name']} of the code under test>",
    })
    for special in description["special"]:
        if special in PASSED_ON:
            members[special] = passed_on(special, number)
    made = type(description["name"], (), members)
    return made


def fail_construction(reply, target):
    if "thrown" in reply:
        raise error_of(reply["thrown"]) from None
    if "ended" in reply:
        raise RuntimeError(f"The process of the code under test ended ({reply['ended']}).")
    return refuse(f"what {name_of(target)} gives: {reply.get('unfit')}")


def passed_on(special, number):
    def call(self, *args):
        result = request({"verb": "invoke", "object": number(self), "name": special}, args)
        # To enter, to iterate and to change in place give the object itself, in the language's own forms.
        is_itself = isinstance(result, Chained) and numbers[id(result)] == number(self)
        return self if is_itself and special in ("__enter__", "__iter__", *IN_PLACE) else result

    return call


IN_PLACE = {special for special in PASSED_ON if special.startswith("__i") and special.replace("__i", "__", 1) in PASSED_ON}


def import_paths():
    """The places below the root where this process looks for modules, from the root."""
    places = [os.path.realpath(entry or os.getcwd()) for entry in sys.path]
    return [os.path.relpath(place, ROOT) for place in places if is_below_root(place)]


def fill(module, is_known):
    """Gives a module what the module of the same name exports in the process of the code."""
    name = module["__name__"]
    if not is_known and of_environment(name, module):
        return
    reply = ask({"load": name, "path": import_paths()})
    if "thrown" in reply:
        raise ImportError(f"{name} could not be loaded: {reply['thrown']['class'][1]}: {reply['thrown']['text']}")
    if "exports" not in reply:
        raise ImportError(f"{name} could not be loaded: {reply.get('ended') or reply.get('unfit')}")
    for key, description in reply["exports"].items():
        if is_plain(key) or key in ("__version__", "__all__"):
            module[key] = export_of(name, key, description)


def of_environment(name, module):
    """Whether the language or its packages have a module of this name, which the code only hides: then it is that one."""
    outside = [entry for entry in sys.path if not is_below_root(os.path.realpath(entry or os.getcwd()))]
    top = name.partition(".")[0]
    if top in sys.builtin_module_names or importlib.machinery.PathFinder.find_spec(top, outside) is None:
        return False
    if "." in name:
        raise ImportError(f"{name} is not a module of the {top} that the environment has")
    spec = importlib.machinery.PathFinder.find_spec(name, outside)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return True


def is_below_root(place):
    return place == ROOT or place.startswith(ROOT + os.sep)


def export_of(module, key, description):
    kind = description["kind"]
    if kind == "value":
        return decoded(description["value"])
    if kind == "function":
        return method_of({"verb": "call", "module": module, "path": [key]}, description["isAsync"], description["doc"])
    if kind == "class":
        return classes.get((description["module"], description["name"])) or class_of(module, key, description)
    if kind == "imported" and description["module"] in ("builtins", "typing"):
        found = getattr(importlib.import_module(description["module"]), description["name"], None)
        # Functions of the language answer as it does, and not as the code does.
        if not inspect.isroutine(found) and key not in FUNCTIONS:
            return found
    return Unusable(f"{module}.{key}: {description.get('what')}")


class Unusable:
    """An export that is no value: it may be imported, but not used."""

    def __init__(self, what):
        object.__setattr__(self, "what", what)

    def __getattribute__(self, name):
        if name.startswith("_") or name.startswith("pytest"):
            return object.__getattribute__(self, name)
        return refuse(object.__getattribute__(self, "what"))

    def _refuse(self, *_, **__):
        return refuse(object.__getattribute__(self, "what"))

    __call__ = __eq__ = __ne__ = __len__ = __iter__ = __getitem__ = __contains__ = __bool__ = __lt__ = __gt__ = _refuse
    __hash__ = object.__hash__
