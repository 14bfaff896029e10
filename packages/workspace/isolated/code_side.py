"""The process of the code under test."""

import asyncio
import importlib
import inspect
import json
import os
import sys
import typing

from values import Unfit, decode, encode

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
#: Objects that the tests have constructed.
objects = []
loaded = {}


def refer(value):
    for number, one in enumerate(objects):
        if one is value:
            return {"$": "object-of-test", "is": number}
    return None


def encoded(value):
    return encode(value, refer)


def decoded(form):
    return decode(form, lambda form: objects[form["is"]])


def answer_all(connection):
    """Answers one request after the other until the tests end."""
    sys.path[:] = [entry for entry in sys.path if entry != HERE]
    lines = connection.makefile("r", encoding="utf-8", newline="\n")
    send = connection.sendall
    for line in lines:
        send((json.dumps(answer(json.loads(line))) + "\n").encode())


def answer(request):
    try:
        if "load" in request:
            return load(request)
        return act(request)
    except Unfit as unfit:
        return {"unfit": str(unfit)}
    except BaseException as thrown:  # noqa: BLE001
        try:
            return {"thrown": thrown_form(thrown)}
        except Unfit as unfit:
            return {"unfit": f"thrown: {unfit}"}


def load(request):
    for entry in reversed(request["path"]):
        place = os.path.normpath(os.path.join(ROOT, entry))
        if place not in sys.path:
            sys.path.insert(0, place)
    name = request["load"]
    loaded[name] = importlib.import_module(name)
    return {"exports": {key: description_of(name, key, value) for key, value in vars(loaded[name]).items() if is_ours(key)}}


#: Tests may use these as they are: nothing in them is equal to what it is not, as ``unittest.mock.ANY`` is.
OF_THE_LANGUAGE = ("builtins", "typing")


def is_ours(key):
    return not (key.startswith("__") and key.endswith("__")) or key in ("__version__", "__all__")


def description_of(module, name, value):
    if inspect.ismodule(value):
        return {"kind": "unfit", "what": "a module"}
    if getattr(value, "__module__", None) == "typing" and getattr(typing, name, None) is value:
        return {"kind": "imported", "module": "typing", "name": name}
    if inspect.isclass(value):
        return class_description(module, value)
    if callable(value):
        return {"kind": "function", "isAsync": inspect.iscoroutinefunction(value), "doc": inspect.getdoc(value) or ""}
    try:
        return {"kind": "unfit", "what": "an iterator"} if hasattr(value, "__next__") else {"kind": "value", "value": encoded(value)}
    except Unfit as unfit:
        return {"kind": "unfit", "what": str(unfit)}


def class_description(module, value):
    if value.__module__ in OF_THE_LANGUAGE:
        return {"kind": "imported", "module": value.__module__, "name": value.__qualname__}
    attributes = {}
    for key in dir(value):
        one = inspect.getattr_static(value, key, None)
        if is_ours(key) and not callable(one) and not isinstance(one, (property, staticmethod, classmethod)):
            try:
                attributes[key] = encoded(one)
            except Unfit:
                pass
    own = [key for base in value.__mro__ if base.__module__ != "builtins" for key in vars(base)]
    shared = [key for key in own if isinstance(inspect.getattr_static(value, key), (staticmethod, classmethod))]
    return {
        "kind": "class",
        "module": value.__module__,
        "name": value.__qualname__,
        "base": builtin_base(value),
        "parents": [[base.__module__, base.__qualname__] for base in value.__mro__[1:]],
        "special": sorted({key for key in own if key.startswith("__")}),
        "shared": sorted(set(shared)),
        "attributes": attributes,
    }


def builtin_base(value):
    """The nearest exception of the language, for exceptions."""
    if not issubclass(value, BaseException):
        return None
    return next(base.__name__ for base in value.__mro__ if base.__module__ == "builtins")


def found(module, path):
    value = loaded[module]
    for name in path:
        value = getattr(value, name)
    return value


def act(request):
    verb = request["verb"]
    args = [decoded(one) for one in request.get("args", [])]
    named = {key: decoded(one) for key, one in request.get("named", {}).items()}
    before = state_of(args, named)
    if verb == "construct":
        objects.append(found(request["module"], request["path"])(*args, **named))
        return {"value": {"$": "object-of-test", "is": len(objects) - 1}}
    result = VERBS[verb](request, args, named)
    if verb == "get" and callable(result):
        return {"method": True, "isAsync": inspect.iscoroutinefunction(result)}
    if inspect.iscoroutine(result):
        result = asyncio.run(result)
    place = next((at for at, one in enumerate(args) if one is result and isinstance(one, (list, dict, set))), None)
    form = {"argument": place} if place is not None else {"value": encoded(result)}
    after = state_of(args, named)
    return form if after == before else {**form, **json.loads(after)}


def state_of(args, named):
    """What a call may change. Iterators are left alone: to look at them is to use them up."""
    known = lambda value: {"$": "undefined"} if hasattr(value, "__next__") else refer(value)  # noqa: E731
    return json.dumps({"args": encode(args, known), "named": encode(named, known)})


VERBS = {
    "call": lambda request, args, named: found(request["module"], request["path"])(*args, **named),
    "invoke": lambda request, args, named: getattr(objects[request["object"]], request["name"])(*args, **named),
    "get": lambda request, args, named: getattr(objects[request["object"]], request["name"]),
    "set": lambda request, args, named: setattr(objects[request["object"]], request["name"], args[0]),
    "delete": lambda request, args, named: delattr(objects[request["object"]], request["name"]),
}


def thrown_form(thrown):
    own = {}
    for key, value in vars(thrown).items():
        try:
            own[key] = encoded(value)
        except Unfit:
            pass
    kind = type(thrown)
    args = []
    for one in thrown.args:
        try:
            args.append(encoded(one))
        except Unfit:
            args.append(str(one))
    return {"class": [kind.__module__, kind.__qualname__], "base": builtin_base(kind), "args": args, "text": str(thrown), "own": own}
