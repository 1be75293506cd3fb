import { ToolError } from "@toolglot/core";
import { expect, it } from "vitest";
import { tool } from "../../support.ts";
import { sharedSandbox } from "../../worker-sandbox.ts";

const save = tool("save", { id: { type: "string" } }, async ({ id }: { id: string }) => {
  if (id === "b") throw new ToolError("disk full");
  return id;
});
const sandbox = sharedSandbox("python", { style: "notebook", tools: [save] });

const setup =
  "import asyncio\nasync def keep(id):\n    return await save(id)\nasync def lose():\n    raise KeyError('lost')\n";

it.each([
  [
    "a task in a list",
    "tasks = [asyncio.create_task(keep(id)) for id in 'abc']\nawait asyncio.sleep(0.01)\n'saved'",
    { type: "ToolError", message: "disk full", line: 3 },
  ],
  [
    "a task that nobody kept",
    "async def main():\n    asyncio.create_task(lose())\n    await asyncio.sleep(0)\n    await asyncio.sleep(0)\nasyncio.run(main())\n1",
    { type: "KeyError", line: 5 },
  ],
  [
    "a task of ensure_future, with return",
    "asyncio.ensure_future(lose())\nawait asyncio.sleep(0)\nreturn 1",
    { type: "KeyError", line: 5 },
  ],
  [
    "a callback of the loop",
    "def broken():\n    raise ValueError('call')\nasync def main():\n    asyncio.get_running_loop().call_soon(broken)\n    await asyncio.sleep(0)\nasyncio.run(main())\n1",
    { type: "ValueError", message: "call", line: 7 },
  ],
  [
    "a future",
    "f = asyncio.get_event_loop().create_future()\nf.set_exception(OSError('set'))\n1",
    { type: "OSError", message: "set" },
  ],
  [
    "what asyncio.wait has only looked at",
    "done, rest = await asyncio.wait([asyncio.create_task(lose())])\nlen(done)",
    { type: "KeyError" },
  ],
  [
    "a task whose end was cancelled",
    "async def stuck():\n    try:\n        await asyncio.sleep(60)\n    finally:\n        raise RuntimeError('at the end')\nasync def main():\n    asyncio.create_task(stuck())\n    await asyncio.sleep(0)\nasyncio.run(main())\n1",
    { type: "RuntimeError", message: "at the end" },
  ],
])("should tell of a failure that nobody waited for, in %s", async (_, code, error) => {
  const run = await sandbox.run(setup + code);
  expect(run).toMatchObject({ status: "error", error });
});

it.each([
  [
    "is awaited later",
    "t = asyncio.create_task(lose())\nawait asyncio.sleep(0)\ntry:\n    await t\nexcept KeyError:\n    pass\n1",
  ],
  [
    "is asked for at the top",
    "t = asyncio.ensure_future(lose())\nawait asyncio.sleep(0)\nr = 1 if isinstance(t.exception(), KeyError) else 2\nr",
  ],
  ["is gathered", "r = await asyncio.gather(lose(), keep('b'), return_exceptions=True)\nlen(r) - 1"],
  [
    "is caught with its group",
    "try:\n    async with asyncio.TaskGroup() as g:\n        g.create_task(lose())\n        g.create_task(lose())\nexcept* KeyError:\n    pass\n1",
  ],
])("should be no error when it %s", async (_, code) => {
  expect(await sandbox.run(setup + code)).toMatchObject({ status: "ok", value: 1 });
});

const mixed = "import asyncio\nasync def a():\n    await asyncio.sleep(0)\n    return await save('a')\n";
it.each([
  ["x = asyncio.run(a())\ny = await a()\nx + y", "aa"],
  ["x = await a()\ny = asyncio.run(a())\nreturn x + y", "aa"],
  [
    "t = asyncio.create_task(a())\nloop = asyncio.get_event_loop()\nx = loop.run_until_complete(asyncio.gather(a(), a()))\nx.append(await t)\nx",
    ["a", "a", "a"],
  ],
  [
    "loop = asyncio.get_event_loop()\nt = asyncio.ensure_future(a())\nawait asyncio.sleep(0)\nx = loop.run_until_complete(t)\nx + await a()",
    "aa",
  ],
  ["def plain():\n    return asyncio.run(a())\nx = plain() + plain()\nx + await a()", "aaa"],
  [
    "async def fails():\n    raise ValueError('in')\ntry:\n    asyncio.run(fails())\nexcept ValueError as e:\n    x = str(e)\nx + await a()",
    "ina",
  ],
])("should run coroutines at the top beside await: %j", async (code, value) => {
  const run = await sandbox.run(mixed + code);
  expect(run.status === "ok" ? run.value : run.error).toEqual(value);
});

it.each([
  ["async def b():\n    return asyncio.run(a())\nawait b()", "asyncio.run() cannot be called"],
  ["async def b():\n    return asyncio.get_event_loop().run_until_complete(a())\nawait b()", "already running"],
])("should refuse that in a coroutine, as Python does: %j", async (code, message) => {
  expect(await sandbox.run(mixed + code)).toMatchObject({
    error: { type: "RuntimeError", message: expect.stringContaining(message) },
  });
});
