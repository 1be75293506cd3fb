# Walks everything that attributes, items and type() lead to from what a program finds, by the guard's own rules, and
# tells what should not be among it.
import io as real_io
import types as real_types
from collections import Counter, deque
from toolglot_guest import guard, library, restricted, safe_builtins, tools

restricted.disarm()
# The test puts a line before this text where the other style is meant.
is_notebook = "NOTEBOOK" in globals()
modules, table = library.MODULES, safe_builtins.TABLE
if is_notebook:
    from toolglot_guest import data_files, event_loop, notebook, notebook_builtins, notebook_libraries, small_libraries

    guard.use_notebook_rules(True)
    data_files.confine()
    small_libraries.confine()
    event_loop.attach(event_loop.Calls(lambda text: "", False))
    event_loop.install()
    modules = notebook_libraries.MODULES
    table = {**notebook._TABLE, "__toolglot_import__": notebook_libraries.importer(modules)}
    table |= notebook_builtins.executing(table, (modules, notebook_libraries.public_names), {})


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

globals().update(library.MODULES)
io_, string_, feature = library.MODULES["io"], library.MODULES["string"], library.MODULES["__future__"]
asyncio = array = pathlib = sqlite3 = struct = time = zlib = zoneinfo = gzip = traceback = urllib = None


@dataclasses.dataclass
class Plain:
    x: int = 1


Color = enum.Enum("Color", "RED")


class Abstract(abc.ABC):
    @abc.abstractmethod
    def method(self): ...


try:
    raise ValueError(1)
except ValueError as error:
    caught = error

roots = {**table, **modules, "tool": add, "ToolError": tools.ToolError, "type": safe_builtins.Type}
samples = [
    Own(), Own().method, function, generator(), coroutine(), asynchronous(), parameter(), Generic, Generic[int], Generic["x"],
    Alias, caught, ExceptionGroup("x", [caught]), list[int], int | str, parameter() | str, safe_builtins.Type[int],
    t"{1}a", t"{1}a".interpolations[0], re.match("(?P<a>a)", "a"), re.compile("a"), re.compile("a").scanner("a"),
    re.finditer("a", "a"), re.A, memoryview(b"a"), datetime.now(), datetime.date.today(), datetime.timezone.utc,
    statistics.NormalDist(), statistics.linear_regression([1, 2, 3], [2, 3, 5]), statistics.kde([1, 2, 3], 1.0),
    collections.Counter("a"), collections.OrderedDict(a=1), collections.ChainMap({}), collections.defaultdict(list), collections.deque([1]),
    collections.UserString("a"), collections.UserDict(a=1), collections.UserList([1]), collections.namedtuple("N", "a")(1),
    decimal.Decimal(1), decimal.getcontext(), fractions.Fraction(1), uuid.uuid4(), io_.StringIO("a"), io_.TextIOWrapper(io_.BytesIO(b"a")),
    itertools.groupby([1]), itertools.tee([1]), functools.partial(function, 1), functools.lru_cache(function), functools.singledispatch(function),
    functools.cached_property(function), functools.partialmethod(function), operator.attrgetter("x"), operator.itemgetter(1), operator.methodcaller("x"),
    string_.Template("$x"), string_.Formatter(), textwrap.TextWrapper(), Plain(), dataclasses.fields(Plain), dataclasses.field(), Color.RED, Color, Abstract,
    contextlib.ExitStack(), contextlib.closing(io_.StringIO()), contextlib.suppress(KeyError), contextlib.contextmanager(generator)(),
    contextlib.redirect_stdout(io_.StringIO()), contextlib.nullcontext(), hashlib.md5(b"a"), csv.reader(["a"]), csv.writer(io_.StringIO()),
    csv.DictReader(["a"]), csv.Sniffer(), csv.excel, calendar.Calendar(), calendar.TextCalendar(), difflib.SequenceMatcher(), difflib.HtmlDiff(),
    pprint.PrettyPrinter(), unicodedata.ucd_3_2_0, typing.List[int], typing.Optional[int], typing.Callable[[int], str], typing.TypeVar("T"),
    typing.NewType("N", int), typing.Annotated[int, 1], typing.NamedTuple("N", [("a", int)]), typing.TypedDict("D", {"a": int}), typing.Literal[1],
    typing.get_origin(typing.List[int]), typing.Type[int], copy.Error("x"), feature.annotations,
    random.Random(), json.JSONDecoder(), json.JSONEncoder(), iter([1]), map(function, []), {}.keys(), super(Own, Own()),
    slice(1), range(3), "x".join, (1).__add__, str.join, property(function), classmethod(function), ToolError("x"),
]  # fmt: skip
if is_notebook:
    globals().update(modules)
    datetime = library.MODULES["datetime"]
    loop = asyncio.new_event_loop()
    opened = data_files.open("a.txt", "w+")
    base = sqlite3.connect(":memory:")
    cursor = base.execute("select 1 as a")
    base.row_factory = sqlite3.Row

    async def waiting():
        task = asyncio.current_task()
        lock, event, queue = asyncio.Lock(), asyncio.Event(), asyncio.Queue()
        async with asyncio.TaskGroup() as group, asyncio.timeout(1) as limit, lock:
            future = asyncio.get_running_loop().create_future()
            future.set_result(1)
            handle = asyncio.get_running_loop().call_later(1, print)
            return [task, lock, event, queue, group, limit, future, handle, asyncio.Semaphore(), asyncio.Condition(), asyncio.Barrier(1)]

    exec("def own(a: int) -> str:\n    'text'", {"__builtins__": table})
    samples += asyncio.run(waiting())
    samples += [
        loop, opened, opened.buffer, opened.buffer.raw, data_files.open("a.txt", "rb", 0), base, cursor, cursor.fetchone(), base.cursor(),
        sqlite3.Row, array.array("i", [1]), pathlib.Path("a"), pathlib.Path("a").parents, pathlib.PurePosixPath("a"), pathlib.PureWindowsPath("a"),
        struct.Struct("i"), time.gmtime(), zlib.compressobj(), zlib.decompressobj(), gzip.GzipFile(fileobj=io_.BytesIO(), mode="w"),
        urllib.parse.urlparse("http://a/b?c"), os_.stat("a.txt") if (os_ := modules["os"]) else None, next(os_.scandir(".")), os_.walk("."), os_.environ,
        notebook_builtins._copy({"a": 1}), notebook_builtins.members(Own()), real_types.SimpleNamespace(a=1), sys_.stdout if (sys_ := modules["sys"]) else None,
        sys_.version_info, sys_.float_info, traceback.format_exc(), event_loop.make({"identifier": "t", "name": "t", "params": [], "description": ""}),
        modules["secrets"].token_hex(), modules["datetime"].datetime.now(), modules["datetime"].timezone.utc, modules["numbers"].Number,
        table["eval"], table["exec"], table["__toolglot_given_types__"](lambda kind: kind),
    ]  # fmt: skip
    one = modules
    parser = one["argparse"].ArgumentParser()
    added = parser.add_argument("--x", type=int)
    logger = one["logging"].getLogger("a")
    logger.addHandler(one["logging"].StreamHandler())
    config = one["configparser"].ConfigParser()
    config.read_string("[a]\nb = 1")
    packed = one["zipfile"].ZipFile(io_.BytesIO(), "w")
    packed.writestr("a", "b")
    element = one["xml.etree.ElementTree"].fromstring("<a b='c'><d/></a>")
    with one["warnings"].catch_warnings(record=True) as recorded:
        one["warnings"].warn("x")
    with one["concurrent.futures"].ThreadPoolExecutor() as pool:
        submitted = pool.submit(function, 1)
    samples += [
        parser, added, parser.parse_args([]), parser.add_subparsers(), parser.add_argument_group(), one["argparse"].HelpFormatter("p"), logger, logger.handlers[0], one["logging"].Formatter(),
        one["logging"].LoggerAdapter(logger, {}), config, config["a"], packed, packed.infolist()[0], packed.open("a"), element, one["xml.etree.ElementTree"].ElementTree(element), element.iter(),
        recorded[0], one["warnings"].catch_warnings(), pool, submitted, one["concurrent.futures"].wait([submitted]), one["weakref"].ref(Own), one["weakref"].WeakValueDictionary(), one["weakref"].WeakSet(),
        one["hmac"].new(b"a", b"b", "sha256"), one["tempfile"].NamedTemporaryFile(), one["html.parser"].HTMLParser(), one["ipaddress"].ip_network("10.0.0.0/8"), one["ipaddress"].ip_address("::1"),
        one["graphlib"].TopologicalSorter({1: [2]}), one["inspect"].signature(function), one["inspect"].signature(function).parameters["a"], one["inspect"].signature(function).bind(1),
    ]  # fmt: skip
roots |= {f"samples[{index}]": value for index, value in enumerate(samples)}

plain = (int, str, float, bool, type(None), bytes, complex)
inert = (
    real_types.BuiltinFunctionType, real_types.MethodWrapperType, real_types.WrapperDescriptorType, real_types.MethodDescriptorType,
    real_types.ClassMethodDescriptorType, real_types.GetSetDescriptorType, real_types.MemberDescriptorType,
)  # fmt: skip
internal = (real_types.ModuleType, real_types.FrameType, real_types.CodeType, real_types.TracebackType, real_types.CellType)
names = (
    "open eval exec compile __import__ globals locals vars dir input breakpoint getattr setattr delattr hasattr type "
    "exit quit help memoryview"
)
dangerous = {name: getattr(__builtins__, name, None) for name in names.split() if name != "memoryview"}
dangerous |= {f"io.{name}": getattr(real_io, name) for name in ("open", "open_code", "FileIO")}
kept = {id(value): name for name, value in dangerous.items()}
# Functions in C of these do what no program may.
foreign = {"posix", "sys", "_imp", "gc", "marshal", "_thread", "_socket", "_pyodide_core", "_ctypes", "_signal", "faulthandler"}
unguarded = (str.format, str.format_map)

seen = {}
by_type = Counter()
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
    owner = getattr(value, "__self__", None) if isinstance(value, real_types.BuiltinFunctionType) else None
    if isinstance(owner, real_types.ModuleType) and owner.__name__ in foreign:
        faults.append(f"{path}: {owner.__name__}.{value.__name__}")
    if (type(value).__module__ or "").split(".")[0] in ("pyodide", "_pyodide", "_pyodide_core", "js"):
        faults.append(f"{path}: an object of the engine")
    if type(value) is dict and "__builtins__" in value:
        faults.append(f"{path}: the globals of a module")
    by_type[type(value)] += 1
    # Values that are made anew each time somebody looks: a few hundred of a kind tell what it leads to.
    if depth == 7 or (by_type[type(value)] > 300 and not isinstance(value, type)):
        continue
    if type(value) in (list, tuple, set, frozenset):
        queue.extend((f"{path}[{index}]", item, depth + 1) for index, item in enumerate(list(value)[:50]))
    if isinstance(value, (dict, real_types.MappingProxyType)):
        queue.extend((f"{path}[{key!r}]", item, depth + 1) for key, item in list(value.items())[:300])
    queue.append((f"type({path})", safe_builtins.Type(value), depth + 1))
    # What wraps a C function leads to nothing but more wrappers; of a function, what was put on it is looked at.
    if isinstance(value, inert) and depth > 1:
        continue
    is_function = isinstance(value, (real_types.FunctionType, real_types.MethodType)) and depth > 1
    for name in dir(value):
        if guard.forbidden_attribute(name) or (is_function and name.startswith("__")):
            continue
        try:
            found = safe_builtins.attribute(value, name) if name in guard.CHECKED else getattr(value, name)
        except BaseException:
            continue
        if id(found) not in seen and type(found) not in plain:
            queue.append((f"{path}.{name}", found, depth + 1))

__result__ = {"seen": len(seen), "faults": faults, "libraries": sorted(modules)}
