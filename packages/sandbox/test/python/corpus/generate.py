"""Runs programs.txt with the real interpreter and writes expected.json. Run: python3 generate.py

The programs stand for what models write; their values are plain JSON, so that how the sandbox makes JSON of other values
is not part of them. The interpreter's version is stored with the values.
"""

import datetime
import json
import math
import pathlib
import platform
import random
import re
import statistics

here = pathlib.Path(__file__).parent


class ToolError(Exception):
    pass


def add(a, b=2):
    return a + b


def get_user(id):
    if id > 3:
        raise ToolError(f"there is no user {id}")
    name = ["Ada", "Bo", "Cy"][id - 1]
    return {"id": id, "name": name, "tags": ["t1", "t2"][:id], "active": id != 3, "manager": None}


def list_orders(user_id, limit=10):
    return [{"id": user_id * 100 + n, "amount": n * 1.25 + user_id} for n in range(4)][:limit]


def read(text):
    for part in text.split("=== ")[1:]:
        name, _, code = part.partition("\n")
        yield name.strip(), code


values = {}
for name, code in read((here / "programs.txt").read_text(encoding="utf-8")):
    assert name not in values, name
    as_class = "# datetime is the class" in code
    namespace = {
        "__name__": "__main__",
        "math": math,
        "json": json,
        "datetime": datetime.datetime if as_class else datetime,
        "re": re,
        "random": random,
        "statistics": statistics,
        "ToolError": ToolError,
        "add": add,
        "get_user": get_user,
        "list_orders": list_orders,
    }
    exec(compile(code, name, "exec"), namespace)
    values[name] = json.loads(json.dumps(namespace["__result__"], allow_nan=False))

out = {"python": platform.python_version(), "values": values}
(here / "expected.json").write_text(json.dumps(out, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
print(f"{len(values)} values by Python {out['python']}")
