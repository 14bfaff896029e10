"""Among the tests, in the place of the code under test: functions and classes that ask the process in which the code is.
Only values come back, so nothing of the code can reach the assertions or the runner."""

import asyncio
import builtins
import importlib.util
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
    return values.decode(form, lambda form: objects[form["is"]] if form.get("is") in objects else refuse("an unknown form"))


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


#: What the assertions and the runner do with an object is for them: these are not passed on.
NOT_PASSED_ON = {
    "__class__", "__dict__", "__weakref__", "__module__", "__doc__", "__init__", "__new__", "__del__", "__getattr__", "__getattribute__",
    "__setattr__", "__delattr__", "__eq__", "__ne__", "__hash__", "__slots__", "__init_subclass__", "__subclasshook__", "__reduce__",
    "__reduce_ex__", "__sizeof__", "__dir__", "__format__", "__annotations__", "__match_args__", "__dataclass_fields__",
    "__dataclass_params__", "__orig_bases__", "__parameters__", "__abstractmethods__", "__static_attributes__", "__firstlineno__",
    "__getstate__", "__setstate__", "__replace__", "__class_getitem__", "__repr__", "__annotate__", "__annotate_func__",
    "__annotations_cache__", "__type_params__", "__instancecheck__", "__subclasscheck__", "__set_name__", "__hash__",
}  # fmt: skip


def class_of(module, name, description):
    base = language_error(description["base"])
    members = {"__module__": module, **{key: decoded(form) for key, form in description["attributes"].items()}}
    target = {"module": module, "path": [name]}
    for shared in description["shared"]:
        if shared not in NOT_PASSED_ON:
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
        if special.endswith("__") and special not in NOT_PASSED_ON:
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
    return lambda self, *args: request({"verb": "invoke", "object": number(self), "name": special}, args)


def import_paths():
    """The places below the root where this process looks for modules, from the root."""
    places = [os.path.realpath(entry or os.getcwd()) for entry in sys.path]
    return [os.path.relpath(place, ROOT) for place in places if place == ROOT or place.startswith(ROOT + os.sep)]


def fill(module):
    """Gives a module what the module of the same name exports in the process of the code."""
    name = module["__name__"]
    reply = ask({"load": name, "path": import_paths()})
    if "thrown" in reply:
        raise ImportError(f"{name} could not be loaded: {reply['thrown']['class'][1]}: {reply['thrown']['text']}")
    if "exports" not in reply:
        raise ImportError(f"{name} could not be loaded: {reply.get('ended') or reply.get('unfit')}")
    for key, description in reply["exports"].items():
        module[key] = export_of(name, key, description)


def export_of(module, key, description):
    kind = description["kind"]
    if kind == "value":
        return decoded(description["value"])
    if kind == "function":
        return method_of({"verb": "call", "module": module, "path": [key]}, description["isAsync"], description["doc"])
    if kind == "class":
        return classes.get((description["module"], description["name"])) or class_of(module, key, description)
    if kind == "imported" and description["module"] in ("builtins", "typing"):
        return getattr(importlib.import_module(description["module"]), description["name"], None)
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
