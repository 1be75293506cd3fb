import type { Tool, ToolAnnotations, ToolContext } from "@toolglot/core";
import { type InputSchema, toInputSchema } from "@toolglot/schema";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { capabilityOf, defineCapability } from "../src/catalog/define-capability.ts";
import { registerCapability } from "../src/catalog/register.ts";
import type { AnyCapability } from "../src/catalog/types.ts";
import { createRouter } from "../src/router/create-router.ts";
import { openSession, resultOf } from "./router-rig.ts";
import { capability } from "./rules-rig.ts";

interface Note {
  text: string;
  times: number;
}

const notes: { input: Note; operationKey: string | undefined }[] = [];

/** A tool as `defineTool` makes it: with its schema ready to validate. */
const note: Tool<Note> & { schema: InputSchema<Note> } = (() => {
  const schema = toInputSchema(z.object({ text: z.string(), times: z.number().int().default(1) }), { name: "note" });
  return {
    name: "note",
    description: "Writes a note.",
    inputSchema: schema.jsonSchema,
    schema: schema as InputSchema<Note>,
    examples: [{ input: { text: "milk" } }, { code: "note('milk')" }],
    execute(input: Note, { operationKey }: ToolContext & { operationKey?: string }) {
      notes.push({ input, operationKey });
      return { noted: input.text };
    },
  };
})();

describe("capabilityOf", () => {
  it("runs the tool of a call, with its defaults and the key of the operation", async () => {
    const made = capabilityOf(note, { capId: "cap.note.write.v1", effect: "keyed" });
    const session = await openSession(createRouter({ capabilities: [made], allowVolatile: true }));
    const item = { cap_id: "cap.note.write.v1", args: { text: "milk" }, idempotency_key: "k1" };
    expect(resultOf(await session.call(item)).result?.data).toEqual({ noted: "milk" });
    expect(notes).toEqual([{ input: { text: "milk", times: 1 }, operationKey: expect.any(String) }]);
    const refused = await session.call({ ...item, args: { text: "milk", times: "2" }, idempotency_key: "k2" });
    expect(refused.payload).toMatchObject({ error_code: "TRP_2001" });
  });

  it("takes name, description, schema and examples of the tool, and what is said besides", () => {
    const made = registerCapability(capabilityOf(note, { capId: "cap.note.write.v1", roles: ["writer"] }));
    const { name, description, examples, roles } = made.definition;
    expect({ name, description, examples, roles }).toEqual({
      name: "note",
      description: "Writes a note.",
      examples: [{ args: { text: "milk" } }],
      roles: ["writer"],
    });
    expect(made.argTemplate).toEqual({ text: "string", times: "int?" });
  });

  it.each<[string, ToolAnnotations | undefined, Partial<AnyCapability>]>([
    ["nothing", undefined, { ioClass: "WRITE", effect: "opaque", riskTier: "MEDIUM" }],
    ["that it only reads", { readOnlyHint: true }, { ioClass: "READ", effect: "pure", riskTier: "LOW" }],
    ["that twice is as once", { idempotentHint: true }, { ioClass: "WRITE", effect: "idempotent", riskTier: "MEDIUM" }],
    ["that somebody is asked", { requiresApproval: true }, { ioClass: "WRITE", effect: "opaque", riskTier: "HIGH" }],
    ["that it destroys", { destructiveHint: true }, { ioClass: "WRITE", effect: "opaque", riskTier: "CRITICAL" }],
    ["a risk", { readOnlyHint: true, riskTier: "MEDIUM" }, { ioClass: "READ", effect: "pure", riskTier: "MEDIUM" }],
  ])("reads risk and effect of a tool that says %s", (_what, annotations, expected) => {
    const tool = annotations === undefined ? note : { ...note, annotations };
    expect(capabilityOf(tool, { capId: "cap.note.write.v1" })).toMatchObject(expected);
  });

  it("lets what is said besides win over the tool", async () => {
    const made = capabilityOf(
      { ...note, annotations: { readOnlyHint: true } },
      { capId: "cap.note.write.v1", name: "write_note", ioClass: "WRITE", riskTier: "LOW", effect: "idempotent" },
    );
    expect(made).toMatchObject({ name: "write_note", ioClass: "WRITE", riskTier: "LOW", effect: "idempotent" });
  });

  it("takes a tool without a ready schema, by its JSON Schema", () => {
    const { schema: _, ...plain } = note;
    const made = registerCapability(capabilityOf(plain, { capId: "cap.note.write.v1" }));
    expect(made.schema.properties).toHaveProperty("text");
  });

  it("refuses a field that no capability has", () => {
    expect(() => capabilityOf(note, { capId: "cap.note.write.v1", maxTimeout: 5 } as never)).toThrow(/maxTimeoutMs/);
  });
});

describe("input and args of a capability", () => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
  const given = { args: undefined as never };

  it("are the same: a schema as input, the shorthand as args", () => {
    expect(capability({ ...given, input: schema }).argTemplate).toEqual({ city: "string" });
    expect(capability({ args: { city: "string" } }).argTemplate).toEqual({ city: "string" });
  });

  it("can't both be given, nor both be left out", () => {
    expect(() => capability({ input: schema, args: { city: "string" } })).toThrow(/both input and args/);
    expect(() => capability(given)).toThrow(/input must be a schema/);
  });

  it("both give execute its types", () => {
    const shared = { capId: "cap.a.b.v1", name: "a", description: "A.", riskTier: "LOW", ioClass: "READ" } as const;
    defineCapability({ ...shared, effect: "pure", args: { city: "string" }, execute: ({ city }) => city.length });
    defineCapability({
      ...shared,
      effect: "pure",
      input: z.object({ city: z.string() }),
      // @ts-expect-error there is no such argument
      execute: ({ town }) => town,
    });
    capabilityOf(note, { capId: "cap.a.b.v1", rules: [{ name: "short", check: ({ text }) => text.slice(0, 9) }] });
    // @ts-expect-error times is a number
    capabilityOf(note, { capId: "cap.a.b.v1", execute: ({ times }) => times.length });
    // @ts-expect-error a capability needs its id
    expect(() => capabilityOf(note, {})).not.toThrow();
  });
});
