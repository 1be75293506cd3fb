"""Runs programs.txt with the real interpreter and writes expected.json. Run: python3 generate.py

The programs are as models write them for a notebook: imports, files, classes, a value at the end. Of each stand there: the value of
its last expression as JSON, what it printed, and the files that it made.
"""

import ast
import asyncio
import contextlib
import io
import json
import os
import pathlib
import platform
import tempfile
import types

here = pathlib.Path(__file__).parent
files = {"sales.csv": "day,shop,amount\n2024-01-01,north,10.5\n2024-01-01,south,7\n2024-01-02,north,3.25\n", "notes.txt": "one\ntwo\n\nthree\n"}


def read(text):
    for part in text.split("=== ")[1:]:
        name, _, code = part.partition("\n")
        yield name.strip(), code


async def add(a, b=2):
    await asyncio.sleep(0)
    return a + b


def run(name, code):
    tree = ast.parse(code)
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = tree.body[-1]
        tree.body[-1] = ast.copy_location(ast.Assign([ast.Name("__value__", ast.Store())], last.value), last)
    names = {"__name__": "__main__", "add": add}
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
        os.chdir(folder)
        for path, text in files.items():
            pathlib.Path(path).write_text(text)
        try:
            code = compile(ast.fix_missing_locations(tree), name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            found = eval(code, names)
            if isinstance(found, types.CoroutineType):
                asyncio.run(found)
        except SystemExit as exit:
            assert exit.code in (None, 0), name
        made = {}
        for path in sorted(pathlib.Path(".").rglob("*")):
            if path.is_file():
                content = path.read_bytes()
                if str(path) not in files or files[str(path)].encode() != content:
                    made[str(path)] = content.decode("latin-1")
        os.chdir("/")
    value = json.loads(json.dumps(names.get("__value__"), allow_nan=False))
    return {"value": value, "printed": printed.getvalue(), "files": made}


values = {}
for name, code in read((here / "programs.txt").read_text(encoding="utf-8")):
    assert name not in values, name
    try:
        values[name] = run(name, code)
    except Exception as error:
        raise SystemExit(f"{name}: {type(error).__name__}: {error}")

out = {"python": platform.python_version(), "given": files, "programs": values}
(here / "expected.json").write_text(json.dumps(out, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
print(f"{len(values)} programs by Python {out['python']}")
