import { expect, it } from "vitest";
import { clientAt, gateOf, listening, newest, upstream } from "./support.ts";

const revisions = [newest, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

it.each(revisions)("serves tools in revision %s", async (revision) => {
  const files = await upstream("files", [
    {
      name: "read",
      description: "Reads a file.",
      inputSchema: { type: "object", properties: { path: { type: "string" } } },
    },
  ]);
  const { gate, calls } = gateOf([files]);
  const client = await clientAt(await listening(gate), revision);
  expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["files__read", "toolglot_again", "toolglot_status"]);
  expect(tools[0]).toMatchObject(files.tools[0]?.listed ?? {});
  const result = await client.callTool({ name: "files__read", arguments: { path: "/a" } });
  expect(result.content).toEqual([{ type: "text", text: "read" }]);
  expect(result._meta).toMatchObject({ "toolglot/outcome": { status: "done", receipt: "rcp_1" } });
  expect(calls.contexts[0]?.caller).toMatchObject({
    principal: { id: "anna" },
    client: { name: "tester", version: "2.0.0" },
  });
  await expect(client.callTool({ name: "nope" })).rejects.toMatchObject({
    code: -32602,
    message: /Tool nope not found/,
  });
});
