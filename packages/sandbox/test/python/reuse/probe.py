# What a program finds that looks at everything it can reach. With the guard off.
import atexit, builtins, codecs, collections, collections.abc, copyreg, csv, decimal, fractions, gc, hashlib
import json, locale, math, os, random, re, signal, sqlite3, statistics, string, sys, threading, time, types, warnings

def digest(value):
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]

def attempt(function, *args):
    try:
        return function(*args)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"

def names(holder):
    # The same object at the same place: the memory is the same byte for byte.
    return digest(sorted((key, id(value)) for key, value in list(vars(holder).items())))

def kinds():
    found, todo = {}, [object]
    while todo:
        for kind in type.__subclasses__(todo.pop()):
            if kind not in found:
                found[kind] = f"{kind.__module__}.{kind.__qualname__}"
                todo.append(kind)
    return found

def tree(top):
    out = []
    for folder, folders, files in os.walk(top):
        mode = attempt(lambda: os.stat(folder).st_mode)
        out.append((folder, folders, files, mode))
        for name in files:
            path = os.path.join(folder, name)
            if folder.startswith("/dev") or folder.startswith("/proc"):
                continue
            content = attempt(lambda: hashlib.sha256(open(path, "rb").read()).hexdigest())
            out.append((path, attempt(lambda: os.stat(path).st_mode), content))
    return out

def descriptors():
    return [(number, attempt(lambda: os.fstat(number).st_mode), attempt(lambda: os.lseek(number, 0, 1))) for number in range(40)]

states = {
    "builtins": names(builtins),
    "given": sorted(globals()),
    "modules": {name: names(one) for name, one in sorted(sys.modules.items()) if isinstance(one, types.ModuleType) and name != "__main__"},
    "classes": {text: names(kind) for kind, text in kinds().items() if kind.__module__ not in ("__main__",)},
    "files": tree("/"),
    "folder": attempt(os.getcwd),
    "descriptors": descriptors(),
    "environment": sorted(os.environ.items()),
    "time zone": (time.tzname, time.timezone),
    "signals": [repr(attempt(signal.getsignal, number)) for number in range(1, 32)],
    "limits": (sys.getrecursionlimit(), sys.get_int_max_str_digits(), sys.getswitchinterval(), sys.dont_write_bytecode),
    "traces": (sys.gettrace(), sys.getprofile(), [sys.monitoring.get_tool(number) for number in range(6)]),
    "paths": (sys.path, [repr(one) for one in sys.meta_path], len(sys.path_hooks), sorted(sys.path_importer_cache), sys.argv),
    "collector": (gc.get_threshold(), gc.isenabled(), gc.get_debug(), len(gc.callbacks), gc.get_freeze_count()),
    "codecs": (codecs.lookup("utf-8").name, attempt(lambda: codecs.lookup("evil")), attempt(lambda: b"\xff".decode())),
    "decimal": (str(decimal.getcontext()), str(decimal.DefaultContext), str(decimal.Decimal(1) / 3)),
    "warnings": repr(warnings.filters),
    "end": atexit._ncallbacks(),
    "locale": attempt(locale.setlocale, locale.LC_ALL),
    "random": (random.random(), random.getrandbits(64), digest(random.getstate())),
    "hash": (hash("a"), hash(("b", 1))),
    "re": (len(re._cache), len(re._cache2), re.findall("a+", "aab")),
    "threads": (len(threading.enumerate()), threading.active_count()),
    "csv": (csv.field_size_limit(), csv.list_dialects()),
    "copyreg": sorted(str(kind) for kind in copyreg.dispatch_table),
    "types": (isinstance(3, collections.abc.Mapping), isinstance(1.5, collections.abc.Sized)),
    "texts": (json.dumps({"a": [1, "ü", None]}), json.loads('{"b": [2.5]}'), "datetime" + "", str(3 + 4), 250 + 0, math.sqrt(4)),
    "numbers": digest([number + 0 for number in range(-5, 257)]),
    "statistics": (statistics.mean([1, 2, 3]), str(fractions.Fraction(1, 3) + 1), collections.Counter("aab").most_common(1)),
    "sqlite": attempt(lambda: sqlite3.connect(":memory:").execute("select 1 + 1").fetchall()),
    "tool": (add(1), add(2, 3), sorted(vars(add)), add.__defaults__),
    "frames": sorted(key for key in sys._getframe(1).f_globals if "left" in key),
    "attributes of sys": sorted(vars(sys)),
    "memory": [len(bytearray(3_000_000)), sum(bytearray(3_000_000))],
}
print("seen", file=sys.stdout)
print("seen too", file=sys.stderr)
__result__ = json.loads(json.dumps(states, default=repr))
