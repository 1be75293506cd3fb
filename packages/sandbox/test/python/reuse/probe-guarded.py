# What a program finds under the guard.
class Point:
    def __init__(self, x):
        self.x = x

def attempt(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"

print("seen")
__result__ = {
    "builtins": [len([1, 2]), sorted([2, 1]), str(3), max(1, 2), [*map(abs, [-1])], repr(Point(1).x), isinstance(3, int)],
    "json": [json.dumps({"a": [1, "ü", None]}), json.loads('{"b": [2.5]}'), attempt(json.dumps, Point(1))],
    "math": [math.sqrt(4), statistics.mean([1, 2, 3]), statistics.NormalDist(1, 2).mean],
    "collections": [collections.Counter("aab").most_common(1), hasattr(collections.UserDict, "left"), isinstance(3, collections.abc.Mapping)],
    "fractions": [str(fractions.Fraction(1, 3) + 1), hasattr(fractions.Fraction, "left")],
    "decimal": [str(decimal.Decimal(1) / 3), str(decimal.getcontext()), str(decimal.DefaultContext)],
    "random": [random.random(), random.getrandbits(64), random.Random().random(), str(uuid.uuid4())],
    "hash": [hash("a"), hash(("b", 1)), list({"a", "b", "c"})],
    "re": [re.findall("a+", "aab"), re.sub("(?P<x>b)", "[\\g<x>]", "abc")],
    "dates": [str(datetime.date(2024, 1, 31)), datetime.strptime("2024-01-02", "%Y-%m-%d").isoformat()],
    "format": ["{:>5}".format(3), f"{1/3:.2f}", string.Template("$a").substitute(a=1), string.Formatter().format("{0}", 1)],
    "csv": [csv.list_dialects(), csv.field_size_limit(), list(csv.reader(["a,bbbbb"]))],
    "tool": [add(1), add(2, 3)],
    "kinds": [enum.Enum("Color", "RED").RED.name, attempt(lambda: 1 / 0)],
    "copy": copy.deepcopy({"a": [1, 2]}),
}
