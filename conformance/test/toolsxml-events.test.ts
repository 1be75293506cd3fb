import { createParser, type ToolsXmlBlock, type ToolsXmlCall, type ToolsXmlEvent } from "@toolglot/toolsxml";
import { expect, it } from "vitest";
import { expandText, readVectors, type Vector } from "../src/vector.ts";

/** The order of a block's events, and attributes as they come: for every vector whose blocks are complete. */

type Delta = Extract<ToolsXmlEvent, { phase: "delta" }>;

const cases = readVectors("toolsxml")
  .flatMap(({ vectors }) => vectors)
  .filter((vector) => expandText(vector.input).length < 2000)
  .map((vector) => ({ name: vector.name, events: eventsOf(vector) }))
  .filter(({ events }) => events.some((event) => event.type === "tools-end" && event.block.status === "complete"));

it("has enough of them", () => {
  expect(cases.length).toBeGreaterThan(300);
});

it.each(cases)("events in order: $name", ({ events }) => {
  let deltas: Delta[] = [];
  for (const event of events) {
    if (event.phase === "block-start") deltas = [];
    else if (event.phase === "delta") deltas.push(event);
    else if (event.phase === "block-end" && event.block.status === "complete") expectCalls(deltas, event.block);
  }
});

function eventsOf({ input, options, end }: Vector): ToolsXmlEvent[] {
  const events: ToolsXmlEvent[] = [];
  const parser = createParser({ ...options, onEvent: (event) => events.push(event) });
  for (const unit of expandText(input).match(/[\s\S]{1,7}/g) ?? []) parser.feed(unit);
  parser.end(end);
  return events;
}

function expectCalls(deltas: Delta[], { calls }: ToolsXmlBlock): void {
  const ends = deltas.filter(({ type }) => type === "call-start" || type === "call-end");
  expect(ends.map(({ type, call, text }) => `${type} ${call} ${text}`)).toEqual(
    calls.flatMap((call, index) => [`call-start ${index} ${tagOf(call)}`, `call-end ${index} `]),
  );
  let open: number | undefined;
  for (const { type, call } of deltas) {
    if (type === "call-start") open = call;
    expect(call).toBe(open);
    if (type === "call-end") open = undefined;
  }
  for (const [index, call] of calls.entries()) {
    const attributes = deltas.flatMap((delta) =>
      delta.type === "attribute" && delta.call === index ? [[`${delta.field}@${delta.name}`, delta.text] as const] : [],
    );
    expect(Object.fromEntries(attributes)).toMatchObject(attributesOf(call));
  }
}

const tagOf = (call: ToolsXmlCall): string => (call.tool === "custom" ? call.name.toLowerCase() : call.tool);

/** The attributes that a call must have had, by the path of their element. */
function attributesOf(call: ToolsXmlCall): Record<string, string> {
  switch (call.tool) {
    case "get_value":
      return given("", { key: call.key, reason: call.reason, note: call.note });
    case "mcp":
      return given("", { server: call.server, tool: call.name });
    case "command":
      return given("", { cwd: call.cwd });
    case "edit":
      return join(call.files.map(({ src }, at) => given(`files[${at}]`, { src })));
    case "read":
      return join([
        ...call.files.map(({ src }, at) => given(`files[${at}]`, { src })),
        ...call.searches.map(({ pattern, src, glob }, at) => given(`searches[${at}]`, { pattern, src, glob })),
      ]);
    default:
      return {};
  }
}

function given(path: string, values: Record<string, string | undefined>): Record<string, string> {
  return join(
    Object.entries(values).map(([name, value]) => (value === undefined ? {} : { [`${path}@${name}`]: value })),
  );
}

const join = (records: Record<string, string>[]): Record<string, string> => Object.assign({}, ...records);
