import { expect, it } from "vitest";
import { bare, ownSubjects } from "../src/toolkit/own.ts";
import { aiSdk, mcp } from "../src/toolkit/peers.ts";
import type { Subject } from "../src/toolkit/subject.ts";

const { unchecked, onAjv, others } = ownSubjects();
const own: readonly Subject[] = [bare, unchecked, onAjv, ...others];

it.each(own.map((subject) => [subject.name, subject] as const))(
  "should get the tool's result: %s",
  async (_, subject) => {
    expect(await subject.call()).toBe(subject.expected);
  },
);

it("should get the same from AI SDK, and from an MCP server", async () => {
  for (const subject of aiSdk()) expect(await subject.call()).toBe(subject.expected);
  const { subject, close } = await mcp();
  expect(await subject.call()).toBe(subject.expected);
  await close();
});
