import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reference, rig, scratch } from "./rig.ts";

test("the tools of server-everything are capabilities, and answer as they do directly", async () => {
  const { server, client, call, tool } = await rig(reference("server-everything"));
  await server.ready();
  expect(server.state()).toEqual({ up: true, restarts: 0 });
  expect(tool("echo")).toMatchObject({ server: "srv", shownName: "srv__echo", capId: "cap.mcp.srv.echo.v1" });
  const listed = await client.listTools();
  for (const { name, sent } of listed) {
    const shown = server.tools.find((one) => one.tool === name);
    if (shown === undefined) continue;
    const { execution: _, ...all } = sent as { execution?: unknown };
    expect(shown.listed).toEqual({ ...all, name: shown.shownName });
  }
  const args = { message: "hello" };
  const { result, extras } = await call("echo", args);
  expect(result.status).toBe("success");
  expect(extras.result).toEqual(await client.callTool({ name: "echo", arguments: args, repeatable: true }));
  expect(extras.result?.content).toEqual([{ type: "text", text: "Echo: hello" }]);
});

test("server-filesystem reads and writes as its annotations say, and a failed read is an error that is passed on", async () => {
  const root = scratch();
  writeFileSync(join(root, "a.txt"), "one\n");
  const { server, call, tool } = await rig(reference("server-filesystem", root));
  await server.ready();
  expect(tool("read_text_file")).toMatchObject({ io: "READ", risk: "LOW", effect: "pure" });
  expect(tool("write_file")).toMatchObject({ io: "WRITE", risk: "HIGH", effect: "idempotent" });
  const read = await call("read_text_file", { path: join(root, "a.txt") });
  expect(read.extras.result).toMatchObject({ content: [{ type: "text", text: "one\n" }] });
  const written = await call("write_file", { path: join(root, "b.txt"), content: "two" });
  expect(written.result.status).toBe("success");
  const missing = await call("read_text_file", { path: join(root, "none.txt") });
  expect(missing.result).toMatchObject({ status: "failed", error: { code: "TRP_3002", dispatched: true } });
  expect(missing.extras.result).toMatchObject({ isError: true });
  // Arguments are checked here, before the server sees them.
  const wrong = await call("read_text_file", { path: 5 });
  expect(wrong.result).toMatchObject({ status: "refused", error: { code: "TRP_2001" } });
});
