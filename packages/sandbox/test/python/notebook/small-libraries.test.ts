import { afterAll, expect, it } from "vitest";
import { SharedInterpreter } from "../shared-interpreter.ts";

const shared = new SharedInterpreter({ libraries: "standard", style: "notebook" });
afterAll(() => shared[Symbol.asyncDispose]());
const run = (code: string) => shared.run(code, { style: "notebook" });

it.each([
  ["from types import SimpleNamespace as N\nN(a=1).a", 1],
  [
    "import logging\nlogging.basicConfig(level=logging.INFO, format='%(levelname)s %(message)s')\nlogging.getLogger('x').info('n=%d', 3)\nlogging.getLogger().level",
    20,
  ],
  [
    "import warnings\nwith warnings.catch_warnings(record=True) as w:\n    warnings.warn('old', DeprecationWarning)\nwarnings.simplefilter('ignore')\nwarnings.warn('x')\nwarnings.resetwarnings()\n[len(w), w[0].category.__name__, str(w[0].message)]",
    [1, "DeprecationWarning", "old"],
  ],
  [
    "import warnings\ntry:\n    with warnings.catch_warnings():\n        warnings.simplefilter('error')\n        warnings.warn('bad')\nexcept UserWarning as e:\n    r = str(e)\nr",
    "bad",
  ],
  [
    "import weakref\nclass A: pass\na = A()\nd = weakref.WeakValueDictionary(x=a)\nr = weakref.ref(a)\nbefore = r() is a\ndel a\n[before, r() is None, len(d)]",
    [true, true, 0],
  ],
  [
    "import hmac, hashlib\nhmac.new(b'k', b'm', hashlib.sha256).hexdigest()[:8]",
    expect.stringMatching(/^[0-9a-f]{8}$/),
  ],
  [
    "import glob, fnmatch\nfor n in ('a.csv', 'b.csv', 'c.txt'): open(n, 'w').close()\n[sorted(glob.glob('*.csv')), glob.glob('/mnt/data/*.txt'), fnmatch.filter(['a.py', 'b'], '*.py')]",
    [["a.csv", "b.csv"], ["/mnt/data/c.txt"], ["a.py"]],
  ],
  [
    "import tempfile, os\nwith tempfile.TemporaryDirectory() as d:\n    open(os.path.join(d, 'x'), 'w').write('1')\n    inside = os.listdir(d)\nwith tempfile.NamedTemporaryFile('w+', suffix='.txt') as f:\n    f.write('hi')\n    f.seek(0)\n    text = f.read()\n[inside, os.path.exists(d), text, os.path.exists(f.name)]",
    [["x"], false, "hi", false],
  ],
  [
    "import html\nfrom html.parser import HTMLParser\nclass P(HTMLParser):\n    def handle_starttag(self, tag, attrs):\n        tags.append(tag)\ntags = []\nP().feed('<p><b>x</b></p>')\n[html.escape('<a>'), tags]",
    ["&lt;a&gt;", ["p", "b"]],
  ],
  [
    "import xml.etree.ElementTree as ET\nroot = ET.fromstring('<a><b x=\"1\">t</b></a>')\nET.ElementTree(root).write('a.xml')\n[root.find('b').get('x'), ET.parse('a.xml').getroot().tag, [e.tag for e in root.iter()]]",
    ["1", "a", ["a", "b"]],
  ],
  [
    "import binascii, ipaddress, cmath, tomllib\n[binascii.hexlify(b'ab').decode(), ipaddress.ip_address('10.0.0.1') in ipaddress.ip_network('10.0.0.0/8'), cmath.sqrt(-1).imag, tomllib.loads('a = 1')]",
    ["6162", true, 1, { a: 1 }],
  ],
  ["from graphlib import TopologicalSorter\nlist(TopologicalSorter({'b': {'a'}}).static_order())", ["a", "b"]],
  ["import timeit\ntimeit.timeit(lambda: 1, number=10) >= 0", true],
  [
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, default=3)\n[p.parse_args().n, p.parse_args(['--n', '5']).n]",
    [3, 5],
  ],
  [
    "import configparser\nopen('c.ini', 'w').write('[a]\\nb = 1\\n')\nc = configparser.ConfigParser()\n[c.read(['c.ini', 'no.ini']), c['a'].getint('b')]",
    [["c.ini"], 1],
  ],
  [
    "import zipfile\nwith zipfile.ZipFile('z.zip', 'w') as z:\n    z.writestr('in/a.txt', 'hello')\nwith zipfile.ZipFile('z.zip') as z:\n    z.extractall('out')\n[z.namelist(), open('out/in/a.txt').read()]",
    [["in/a.txt"], "hello"],
  ],
  [
    "import ast, inspect\ndef f(a, b: int = 1, *c): pass\n[ast.literal_eval('[1, {\"a\": (2,)}]'), str(inspect.signature(f))]",
    [[1, { a: [2] }], "(a, b: int = 1, *c)"],
  ],
  [
    "from concurrent.futures import ThreadPoolExecutor, as_completed\nwith ThreadPoolExecutor(4) as pool:\n    fs = [pool.submit(pow, 2, n) for n in range(3)]\n    m = list(pool.map(str, [1, 2]))\n[sorted(f.result() for f in as_completed(fs)), m]",
    [
      [1, 2, 4],
      ["1", "2"],
    ],
  ],
  [
    "import concurrent.futures\nimport xml\nconcurrent.futures.ThreadPoolExecutor is not None and xml.etree.ElementTree is not None",
    true,
  ],
])("should have what reaches nothing: %j", async (code, value) => {
  const { status, ...rest } = await run(code);
  expect(status === "ok" ? (rest as { value: unknown }).value : (rest as { error: unknown }).error).toEqual(value);
});

it.each([
  ["import logging\nlogging.FileHandler('/lib/x')", { type: "AttributeError" }],
  ["import logging\nlogging.basicConfig(filename='a.log')", { type: "ValueError" }],
  ["import logging\nlogging.Formatter('{message.__class__}', style='{')", { type: "ValueError" }],
  ["import zipfile\nzipfile.ZipFile('/lib/python314.zip')", { type: "PermissionError" }],
  ["import zipfile\nzipfile.ZipFile('a.zip', 'w').write('/etc/passwd')", { type: "PermissionError" }],
  ["import glob\nglob.glob('/lib/*')", { type: "PermissionError" }],
  ["import glob\nglob.glob('../../*')", { type: "PermissionError" }],
  ["import xml.etree.ElementTree as ET\nET.parse('/etc/passwd')", { type: "PermissionError" }],
  ["import configparser\nconfigparser.ConfigParser().read('/etc/passwd')", { type: "PermissionError" }],
  [
    "import argparse\nargparse.ArgumentParser(fromfile_prefix_chars='@').parse_args(['@/etc/passwd'])",
    { type: "ValueError" },
  ],
  ["import argparse\nargparse.ArgumentParser().add_argument('--x', dest='__globals__')", { type: "ForbiddenName" }],
  ["import argparse\ndef f(): pass\nargparse.ArgumentParser().parse_args([], f)", { type: "TypeError" }],
  ["import inspect\ndef f(a: 'open'): pass\ninspect.signature(f, eval_str=True)", { type: "TypeError" }],
  [
    "import inspect\ndef f(a: 'open'): pass\ninspect.signature(f).from_callable(f, eval_str=True)",
    { type: "TypeError" },
  ],
  ["import timeit\ntimeit.timeit('open(1)')", { type: "TypeError" }],
  ["from ast import parse", { type: "ImportError" }],
  ["from types import FunctionType", { type: "ImportError" }],
  [
    "from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor().submit(lambda: 1 / 0)\n1",
    { type: "ZeroDivisionError" },
  ],
  ["import loging", { type: "ModuleNotFoundError", hint: "loging is not available; there is logging, and the tools" }],
  ["import yaml", { type: "ModuleNotFoundError", hint: "yaml is not available; there is json, and the tools" }],
  ["import requests", { type: "ModuleNotFoundError", hint: "requests is not available; ask a tool, or do without" }],
])("should refuse what reaches further: %j", async (code, error) => {
  expect(await run(code)).toMatchObject({ status: "error", error });
});
