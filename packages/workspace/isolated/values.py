"""Values on their way between the tests and the code under test: JSON, and with a ``$`` what JSON has no word for. Whatever
else there is, such as a function or an object of a class, cannot leave its process."""

import base64
import collections

DEEPEST = 200
MOST_OF_ITERATOR = 10_000


class Unfit(Exception):
    """A value that cannot leave its process."""


def encode(value, refer=lambda _: None, depth=0):
    """The form in which a value travels. ``refer`` gives the form of an object that both sides know."""
    known = refer(value)
    if known is not None:
        return known
    kind = type(value)
    if value is None or kind in (bool, str, float):
        return value
    if kind is int:
        return value if abs(value) < 2**53 else {"$": "int", "is": str(value)}
    if depth >= DEEPEST:
        raise Unfit(f"a value deeper than {DEEPEST}, or one that contains itself")
    many = lambda values: [encode(one, refer, depth + 1) for one in values]  # noqa: E731
    if kind is list:
        return many(value)
    if kind in KINDS:
        return {"$": KINDS[kind], "is": many(value)}
    if kind is complex:
        return {"$": "complex", "is": [value.real, value.imag]}
    if kind in (bytes, bytearray):
        return {"$": kind.__name__, "is": base64.b64encode(value).decode()}
    if kind is dict:
        if all(type(key) is str for key in value) and "$" not in value:
            return {key: encode(one, refer, depth + 1) for key, one in value.items()}
        return {"$": "dict", "is": [many(pair) for pair in value.items()]}
    if kind in DICTIONARIES:
        return {"$": kind.__name__, "is": [many(pair) for pair in value.items()]}
    if isinstance(value, collections.abc.Iterator):
        return {"$": "iterator", "is": many(taken(value))}
    raise Unfit(what(value))


KINDS = {tuple: "tuple", set: "set", frozenset: "frozenset", range: "range-of", collections.deque: "deque"}
DICTIONARIES = (collections.OrderedDict, collections.Counter, collections.defaultdict)
MADE = {"tuple": tuple, "set": set, "frozenset": frozenset, "deque": collections.deque, "iterator": iter}


def taken(iterator):
    values = []
    for value in iterator:
        values.append(value)
        if len(values) > MOST_OF_ITERATOR:
            raise Unfit(f"an iterator of more than {MOST_OF_ITERATOR} values")
    return values


def what(value):
    if callable(value):
        return f"a function or class ({getattr(value, '__name__', type(value).__name__)})"
    return f"an object of {type(value).__name__}"


def decode(form, known=lambda form: None):
    """The value of a form. ``known`` gives the object that a form refers to."""
    if isinstance(form, list):
        return [decode(one, known) for one in form]
    if not isinstance(form, dict):
        return form
    if "$" not in form:
        return {key: decode(one, known) for key, one in form.items()}
    kind, inner = form["$"], form.get("is")
    if kind in MADE:
        return MADE[kind]([decode(one, known) for one in inner])
    if kind == "int":
        return int(inner)
    if kind == "complex":
        return complex(*inner)
    if kind in ("bytes", "bytearray"):
        made = base64.b64decode(inner)
        return made if kind == "bytes" else bytearray(made)
    if kind == "range-of":
        return as_range(inner)
    pairs = lambda: [(decode(key, known), decode(one, known)) for key, one in inner]  # noqa: E731
    if kind == "dict":
        return dict(pairs())
    if kind == "OrderedDict":
        return collections.OrderedDict(pairs())
    if kind == "Counter":
        return collections.Counter(dict(pairs()))
    if kind == "defaultdict":
        return collections.defaultdict(None, pairs())
    return known(form)


def as_range(values):
    if not values:
        return range(0)
    step = values[1] - values[0] if len(values) > 1 else 1
    return range(values[0], values[-1] + (1 if step > 0 else -1), step)
