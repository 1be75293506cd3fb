# Walks everything that attributes, items and type() lead to from what a program finds, by the guard's own rules, and
# tells what should not be among it.
import types
from collections import deque
from toolglot_guest import guard, library, safe_builtins, tools

safe_builtins.disarm()


class Own:
    x = 1

    def method(self):
        return 1


def function(a, b=1):
    return a


def generator():
    yield 1


async def coroutine():
    return 1


async def asynchronous():
    yield 1


def parameter[T]():
    return T


class Generic[T]:
    pass


type Alias = int
try:
    raise ValueError(1)
except ValueError as error:
    caught = error

roots = {**safe_builtins.TABLE, **library.LIBRARIES, "tool": add, "ToolError": tools.ToolError, "type": safe_builtins.Type}
samples = [
    Own(), Own().method, function, generator(), coroutine(), asynchronous(), parameter(), Generic, Generic[int], Generic["x"],
    Alias, caught, ExceptionGroup("x", [caught]), list[int], int | str, parameter() | str, safe_builtins.Type[int],
    t"{1}a", t"{1}a".interpolations[0], re.match("(?P<a>a)", "a"), re.compile("a"), re.compile("a").scanner("a"),
    re.finditer("a", "a"), re.A, memoryview(b"a"), datetime.now(), datetime.date.today(), datetime.timezone.utc,
    statistics.NormalDist(), statistics.linear_regression([1, 2, 3], [2, 3, 5]), statistics.kde([1, 2, 3], 1.0),
    random.Random(), json.JSONDecoder(), json.JSONEncoder(), iter([1]), map(function, []), {}.keys(), super(Own, Own()),
    slice(1), range(3), "x".join, (1).__add__, str.join, property(function), classmethod(function), ToolError("x"),
]  # fmt: skip
roots |= {f"samples[{index}]": value for index, value in enumerate(samples)}

plain = (int, str, float, bool, type(None), bytes, complex)
inert = (
    types.BuiltinFunctionType, types.MethodWrapperType, types.WrapperDescriptorType, types.MethodDescriptorType,
    types.ClassMethodDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType,
)  # fmt: skip
internal = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType, types.CellType)
names = (
    "open eval exec compile __import__ globals locals vars dir input breakpoint getattr setattr delattr hasattr type "
    "exit quit help memoryview"
)
dangerous = {name: getattr(__builtins__, name, None) for name in names.split() if name != "memoryview"}
kept = {id(value): name for name, value in dangerous.items()}
unguarded = (str.format, str.format_map)

seen = {}
queue = deque((name, value, 0) for name, value in roots.items())
faults = []
while queue:
    path, value, depth = queue.popleft()
    if id(value) in seen or type(value) in plain:
        continue
    seen[id(value)] = value
    if isinstance(value, internal) or id(value) in kept or any(value is each for each in unguarded):
        faults.append(f"{path}: {str(value)[:80]}")
    if isinstance(value, type) and issubclass(value, type) and not isinstance(value, safe_builtins._StandIn):
        faults.append(f"{path}: {str(value)[:80]}")
    if type(value) is dict and "__builtins__" in value:
        faults.append(f"{path}: the globals of a module")
    if depth == 7:
        continue
    if type(value) in (list, tuple, set, frozenset):
        queue.extend((f"{path}[{index}]", item, depth + 1) for index, item in enumerate(list(value)[:50]))
    if isinstance(value, (dict, types.MappingProxyType)):
        queue.extend((f"{path}[{key!r}]", item, depth + 1) for key, item in list(value.items())[:300])
    queue.append((f"type({path})", safe_builtins.Type(value), depth + 1))
    # What wraps a C function leads to nothing but more wrappers.
    if isinstance(value, inert) and depth > 2:
        continue
    for name in dir(value):
        if guard.forbidden_attribute(name):
            continue
        try:
            found = safe_builtins.attribute(value, name) if name in guard.CHECKED else getattr(value, name)
        except BaseException:
            continue
        if id(found) not in seen and type(found) not in plain:
            queue.append((f"{path}.{name}", found, depth + 1))

__result__ = {"seen": len(seen), "faults": faults}
