import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage } from "@toolglot/core/storage";
import { isLong, isThorough, leftToCi } from "@toolglot/internal/testing";
import { afterAll, describe, expect, it } from "vitest";
import type { Sandbox, SandboxOptions } from "../../../src/node/index.ts";
import { makeWheel } from "./make-wheel.ts";

const root = mkdtempSync(join(tmpdir(), "toolglot-wheels-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
function folder(): string {
  const dir = join(root, `${++folders}`);
  mkdirSync(dir);
  return dir;
}

const cacheDir = join(root, "cache");
const make = (wheels: NonNullable<SandboxOptions["wheels"]>, more: Partial<SandboxOptions> = {}): Sandbox =>
  pythonSandbox({ style: "notebook", pool: { size: 0 }, cacheDir, wheels, ...more });

async function outcome(sandbox: Sandbox, code: string): Promise<unknown> {
  const run = await sandbox.run(code);
  return run.status === "ok" ? run.value : run.error;
}

const shapes = {
  "shapes/__init__.py":
    "import logging\nfrom shapes.area import square\n__all__ = ['square', 'Box']\nclass Box:\n    def __init__(self, a): self.a = a\n    def to_dict(self): return {'a': self.a}\n",
  "shapes/area.py": "def square(a): return a * a\n",
  "shapes/late.py": "from importlib.resources import files\nnote = files('shapes').joinpath('note.txt').read_text()\n",
  "shapes/note.txt": "read at the first import",
  "shapes-1.0.data/purelib/sides.py": "import shapes\nfour = shapes.square(2)\n",
  "shapes-1.0.data/scripts/shapes": "#!python",
};

/** Time zones as the library's format has them: one whose clocks are an hour ahead and never change. */
const zone = Buffer.alloc(54);
zone.write("TZif", 0);
zone.writeUInt32BE(1, 36);
zone.writeUInt32BE(4, 40);
zone.writeInt32BE(3600, 44);
zone.write("CET\0", 50);
const zones = {
  "tzdata/__init__.py": "",
  "tzdata/zoneinfo/__init__.py": "",
  "tzdata/zoneinfo/Europe/__init__.py": "",
  "tzdata/zoneinfo/Europe/Berlin": zone,
};

/** For what starts several interpreters, and is left to test:long. */
const inLong = (name: string, run: () => Promise<void>): void => {
  if (isLong) it(name, run);
};

describe("the wheels of a sandbox", () => {
  it("are refused by name where they can't be had, before anything starts", () => {
    const dir = folder();
    const written = (name: string, text: string): string => {
      writeFileSync(join(dir, name), text);
      return join(dir, name);
    };
    const plain = makeWheel(dir, "plain", { "plain.py": "" });
    const needy = makeWheel(
      dir,
      "needy",
      { "needy.py": "" },
      { needs: ["Num_Py>=2", "six", "plain", 'idna; extra == "x"'] },
    );
    for (const [wheels, words] of [
      [plain, "array of paths"],
      [[join(dir, "absent-1.0-py3-none-any.whl")], "absent-1.0-py3-none-any.whl can't be read"],
      [{ dir: join(dir, "absent") }, "can't be read"],
      [{ dir: folder() }, "no file *.whl"],
      [[written("broken-1.0-py3-none-any.whl", "PK".repeat(40))], "no ZIP archive"],
      [[written("six.py", "")], "six.py is not named as wheels are"],
      [[makeWheel(dir, "np", {}, { tags: "cp314-cp314-manylinux_2_28_x86_64" })], "pyemscripten_2026_0_wasm32.whl"],
      [[makeWheel(dir, "np", {}, { tags: "cp313-cp313-pyemscripten_2026_0_wasm32" })], "not for this engine"],
      [[makeWheel(dir, "old", {}, { tags: "py2-none-any" })], "not for this engine"],
      [[plain, plain], "plain is there twice"],
      [[plain, needy], "needy needs num-py and six, and nothing is fetched"],
    ] as const) {
      expect(() => make(wheels as never), words).toThrow(TypeError);
      expect(() => make(wheels as never)).toThrow(words);
    }
    expect(() => javascriptSandbox({ wheels: [plain] })).toThrow("for Python");
  });

  it("ask for what their conditions ask for here", () => {
    const dir = folder();
    for (const [condition, isNeeded] of [
      ['python_version >= "3.9"', true],
      ['python_version < "3.9"', false],
      ['python_full_version != "3.14.2"', false],
      ["sys_platform == 'win32' or platform_system == 'Emscripten'", true],
      ['(os_name == "nt" or extra == "test") and python_version > "3"', false],
      ['"wasm" in platform_machine and sys_platform not in "linux darwin"', true],
      ['platform_machine in "x86_64 arm64"', false],
      ['implementation_name ~= "1"', false],
      ["no condition at all", true],
      ["1 + 2", true],
    ] as const) {
      const wheel = makeWheel(dir, "asks", { "asks.py": "" }, { needs: [`other[fast]>=1 ; ${condition}`] });
      const attempt = (): unknown => make([wheel]);
      if (isNeeded) expect(attempt, condition).toThrow("asks needs other");
      else expect(attempt, condition).not.toThrow();
    }
  });

  it("are imported as Python imports them, in the style notebook alone", async () => {
    const dir = folder();
    makeWheel(dir, "shapes", shapes);
    makeWheel(dir, "tzdata", zones);
    await using sandbox = make({ dir });
    expect(sandbox.libraries).toEqual(expect.arrayContaining(["json", "shapes", "sides"]));
    expect(sandbox.librariesOf("attp")).not.toContain("shapes");
    const code = `
import datetime, shapes, sides, zoneinfo, shapes.area as area
from shapes import *
from shapes import late
import shapes.late
def caught(text):
    try:
        exec(text)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
[square(3), sides.four, area.square(4), late.note, shapes.late is late, Box(1), type(Box(1)).__name__, shapes.__name__,
 caught("from shapes import squre"), caught("import shapes.none"), caught("import socket"), caught("from shapes.none import x"),
 datetime.datetime(2024, 1, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")).isoformat()]`;
    const expected = [
      ...[9, 4, 16, "read at the first import", true, { a: 1 }, "Box", "shapes"],
      "ImportError: cannot import name 'squre' from 'shapes'. Did you mean: 'square'?",
      "ModuleNotFoundError: No module named 'shapes.none'",
      "ModuleNotFoundError: No module named 'socket'",
      "ModuleNotFoundError: No module named 'shapes.none'",
      "2024-01-01T00:00:00+01:00",
    ];
    expect(await outcome(sandbox, code)).toEqual(expected);
    expect(sandbox.stats().snapshot).toBe("built");
    // From the snapshot, and again in an interpreter that was set back.
    await using again = make({ dir }, { domain: "wheels", pool: { size: 1 } });
    expect(await outcome(again, code)).toEqual(expected);
    expect(await outcome(again, code)).toEqual(expected);
    expect(await outcome(again, "import shapes\nshapes.square = None\nshapes.area.square = None")).toBeNull();
    expect(await outcome(again, code)).toEqual(expected);
    expect(again.stats()).toMatchObject({ snapshot: "cached", retired: { "not-at-rest": 0 } });
    const run = await again.run("__result__ = shapes", { style: "attp" });
    expect(run).toMatchObject({ error: { type: "NameError" } });
    await using unguarded = make({ dir }, { guard: false });
    expect(await outcome(unguarded, "import sides\nopen('/lib/toolglot/wheels/sides.py', 'w')")).toMatchObject({
      type: "OSError",
    });
  });

  inLong("belong to what a session's memory depends on", async () => {
    const dir = folder();
    const wheels = [makeWheel(dir, "shapes", shapes)];
    const storage = memoryStorage();
    const key = new Uint8Array(32);
    {
      await using sandbox = make(wheels);
      await using session = await sandbox.openSession({ id: "a", storage, key });
      expect(await session.run("import shapes\nbox = shapes.Box(3)")).toMatchObject({ status: "ok", state: "kept" });
    }
    makeWheel(dir, "shapes", { ...shapes, "shapes/more.py": "" });
    await using other = make(wheels);
    await expect(other.resumeSession("a", { storage, key })).rejects.toMatchObject({
      code: "sandbox/session-mismatch",
      data: { field: "wheelsHash" },
    });
    makeWheel(dir, "shapes", shapes);
    await using same = make(wheels);
    await using session = await same.resumeSession("a", { storage, key });
    expect(
      await session.run("import shapes.late\n[box.a, isinstance(box, shapes.Box), shapes.late.note]"),
    ).toMatchObject({
      value: [3, true, "read at the first import"],
    });
  });

  inLong("with code for the engine are linked into each interpreter before its image is taken", async () => {
    const dir = folder();
    const native = readFileSync(new URL("./native.so.base64", import.meta.url), "utf8");
    const files = { "native.cpython-314-wasm32-emscripten.so": Buffer.from(native, "base64") };
    makeWheel(dir, "native", files, { tags: "cp314-cp314-pyemscripten_2026_0_wasm32" });
    makeWheel(dir, "nine", { "nine.py": "from native import triple\nnine = triple(3)\n" }, { needs: ["native"] });
    await using sandbox = make({ dir }, { domain: "wheels", pool: { size: 1 } });
    const code = "import nine, native\nfrom native import triple\n[triple(2), nine.nine, native.triple.__name__]";
    for (const round of [1, 2, 3]) expect([round, await outcome(sandbox, code)]).toEqual([round, [6, 9, "triple"]]);
    expect(sandbox.stats()).toMatchObject({ snapshot: "built", retired: { "not-at-rest": 0 } });
    expect((await sandbox.run("1")).stats.reused).toBeGreaterThan(0);
    const storage = memoryStorage();
    const key = new Uint8Array(32);
    const session = await sandbox.openSession({ id: "a", storage, key });
    expect(await session.run("import native\nkept = native.triple")).toMatchObject({ state: "kept" });
    await session.close();
    await using other = make({ dir });
    await using resumed = await other.resumeSession("a", { storage, key });
    expect(await resumed.run("kept(5)")).toMatchObject({ value: 15, state: "kept" });
  });

  inLong("that can't be imported end the start with Python's words", async () => {
    await using sandbox = make([makeWheel(folder(), "bad", { "bad.py": "1 / 0" })], {
      cacheDir: false,
      pool: { size: 1 },
    });
    await expect(sandbox.warm()).rejects.toMatchObject({
      code: "sandbox/engine-start-failed",
      cause: expect.objectContaining({ message: expect.stringContaining("ZeroDivisionError") }),
    });
  });
});

/** Where Debian keeps wheels of its own, and where a developer may put those of the engine. */
const hostFolders = ["/usr/share/python-wheels", process.env.TOOLGLOT_WHEELS ?? ""];
const found = hostFolders
  .filter((dir) => dir !== "" && existsSync(dir))
  .flatMap((dir) => readdirSync(dir).map((name) => join(dir, name)));
const wheelOf = (name: string): string | undefined => found.find((path) => path.includes(`/${name}-`));

/** What a host may have: a program that uses the library, and its value. */
const libraries = [
  [
    "pip",
    `
import pip
from pip._vendor.packaging.version import Version
[pip.__version__.count(".") > 0, Version("1.10") > Version("1.9")]`,
    [true, true],
  ],
  [
    "numpy",
    "import numpy as np\n[np.arange(3) * 2, np.float64(1.5), int(np.linalg.det(np.eye(2)))]",
    [[0, 2, 4], 1.5, 1],
  ],
  ["pandas", "import pandas as pd\npd.DataFrame({'a': [1, 2]}).query('a > 1')", [{ a: 2 }]],
  [
    "matplotlib",
    "import os\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nos.listdir('/mnt/data')",
    ["figure-1.png"],
  ],
] as const;

import { javascriptSandbox, pythonSandbox } from "../../own-sandbox.ts";

// No registry has wheels of all of them for this engine, so that `.ci/run` can't ask for them.
const there = libraries.filter(([name]) => !isThorough || wheelOf(name) !== undefined);

it.for(there)("should work with the host's %s", async ([name, code, value], context) => {
  const wheel = wheelOf(name);
  if (wheel === undefined) return context.skip("no wheel on this host");
  leftToCi(context);
  // pip needs no other one; the others need each other.
  await using sandbox = make(name === "pip" ? [wheel] : found.filter((path) => path.endsWith(".whl")));
  expect(await outcome(sandbox, code)).toEqual(value);
});
