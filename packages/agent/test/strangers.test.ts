import { type AgentOptions, createAgent, nativeProtocol } from "@toolglot/agent";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import { attpProtocol } from "@toolglot/attp";
import type { ToolProtocol } from "@toolglot/core";
import { attpPrompt } from "@toolglot/prompts/attp";
import { tamPrompt } from "@toolglot/prompts/tam";
import { toolsxmlPrompt } from "@toolglot/prompts/toolsxml";
import { toInputSchema } from "@toolglot/schema";
import { tamProtocol } from "@toolglot/tam";
import { Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { toolsxmlProtocol } from "@toolglot/toolsxml";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";

// Schemas as their libraries make them, with nothing of ours around them: as a tool's input, and as the answer's shape.

const schemas = {
  zod: z.object({
    city: z.string().min(1).describe("The city."),
    days: z.int().min(1).default(3),
    unit: z.enum(["c", "f"]).optional(),
  }),
  valibot: v.object({
    city: v.pipe(v.string(), v.minLength(1), v.description("The city.")),
    days: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 3),
    unit: v.optional(v.picklist(["c", "f"])),
  }),
  arktype: type({ city: "string >= 1", days: "number.integer >= 1 = 3", "unit?": "'c' | 'f'" }),
};
const protocols: Record<string, () => ToolProtocol> = {
  native: () => nativeProtocol(),
  tam: () => tamProtocol({ prompt: tamPrompt }) as ToolProtocol,
  toolsxml: () => toolsxmlProtocol({ prompt: toolsxmlPrompt }) as ToolProtocol,
};
/** A call as a model writes it. */
const written = (
  protocol: ToolProtocol,
  name: string,
  input: Record<string, unknown>,
  tools: readonly object[] = [],
): ScriptedTurn =>
  protocol.id === "native"
    ? [{ type: "call", call: { id: name, name, input, protocol: "native" } }]
    : protocol.formatActions(
        [{ kind: "calls", calls: [{ id: "1", name, input, protocol: protocol.id }], span: { start: 0, end: 0 } }],
        { tools: tools as never, lossy: false },
      );

describe.each(Object.entries(schemas))("a schema of %s", (library, schema) => {
  it.each(Object.entries(protocols))(
    "is a tool's input in %s: a default is set, a text becomes a number, a mistake is told",
    async (_name, protocolOf) => {
      const got: unknown[] = [];
      const toolkit = new Toolkit();
      toolkit.registerToolFunction((input: unknown) => void got.push(input), {
        name: "weather",
        description: "d",
        input: schema,
      });
      const protocol = protocolOf();
      const tools = [...toolkit.registered.values()].map(({ definition }) => definition);
      const model = scriptedModel([
        written(protocol, "weather", { city: "Oslo" }, tools),
        written(protocol, "weather", { city: "Rome", days: "2", unit: "c" }, tools),
        written(protocol, "weather", { city: "Bern", unit: "k" }, tools),
        "done",
      ]);
      const options: AgentOptions = { model, protocol, executor: toolkitExecutor(toolkit), tools: toolkit };
      const { status, results } = await createAgent(options).run("go").result;
      expect([status, got]).toEqual([
        "answered",
        [
          { city: "Oslo", days: 3 },
          { city: "Rome", days: 2, unit: "c" },
        ],
      ]);
      expect(results.map((result) => result.status)).toEqual(["ok", "ok", "error"]);
      expect(JSON.stringify(model.requests[3])).toMatch(/unit/);
    },
  );

  it("is the answer's shape, with the same defaults and coercions as a tool's input", async () => {
    const toolkit = new Toolkit();
    const protocol = nativeProtocol();
    for (const [input, value] of [
      [{ city: "Oslo" }, { city: "Oslo", days: 3 }],
      [
        { city: "Rome", days: "2" },
        { city: "Rome", days: 2 },
      ],
    ] as const) {
      const model = scriptedModel([
        written(protocol, "final_answer", { city: "" }),
        written(protocol, "final_answer", input),
      ]);
      const agent = createAgent({
        model,
        protocol,
        executor: toolkitExecutor(toolkit),
        tools: toolkit,
        output: { schema: library === "valibot" ? toInputSchema(schema) : (schema as never) },
      });
      const result = await agent.run("go").result;
      expect(result).toMatchObject({ status: "answered", value });
      expect(JSON.stringify(model.requests[1])).toContain("city");
    }
  });
});

it("a schema of zod, valibot or arktype is a tool's input in a program of ATTP", async () => {
  const protocol = attpProtocol({ prompt: attpPrompt });
  const toolkit = new Toolkit();
  for (const [library, schema] of Object.entries(schemas)) {
    toolkit.registerToolFunction(() => 1, { name: `weather_${library}`, description: "d", input: schema });
  }
  const text = protocol.instructions(
    toolkit.getJsonSchemas().map(({ function: { name, description, parameters } }) => ({
      name,
      description: description ?? "",
      inputSchema: parameters as never,
    })),
    { locale: "en", mode: "loop" },
  );
  for (const library of Object.keys(schemas))
    expect(text).toMatch(new RegExp(`def weather_${library}\\(city: str, days: int = 3, unit: `));
});
