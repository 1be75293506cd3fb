import type { TamEvent } from "@toolglot/tam";
import { expect, it } from "vitest";
import { coalesce } from "../src/events.ts";
import { tam } from "../src/implementations/tam.ts";

const start = "<|[REQUEST_TOOL]|>";
const end = "<|[END_TOOL]|>";

function feed(chunks: readonly string[]): TamEvent[] {
  const events: TamEvent[] = [];
  const parser = tam.createParser({ onEvent: (event) => events.push(event) });
  for (const chunk of chunks) parser.feed(chunk);
  return events;
}

const deltas = (events: readonly TamEvent[], param: string): string =>
  events.map((event) => (event.type === "param-delta" && event.param === param ? event.text : "")).join("");

it("reports a canonical block in order", () => {
  const text = [
    "Go:",
    start,
    "# plan",
    "command_1:»»»A«««",
    "x_1:»»»one",
    "two«««",
    "command_2:»»»B«««",
    "common_dir:»»»/d«««",
    "y_2:»»»3«««",
    end,
    "Done.",
  ].join("\n");
  const events: TamEvent[] = [];
  const parser = tam.createParser({ onEvent: (event) => events.push(event) });
  parser.feed(text);
  parser.end();
  const shown = coalesce(events, tam).events.map((event) => {
    if (event.type === "step-start") return `step ${event.step} ${event.text}`;
    if (event.type === "param-delta") return `${event.step ?? "common"} ${event.param}=${event.text}`;
    if (event.type === "comment") return `# ${event.text} (${text.slice(event.span.start, event.span.end)})`;
    return "text" in event ? `${event.phase}: ${event.text.trim()}` : event.type;
  });
  expect(shown.filter((line) => line !== "text: ")).toEqual([
    "text: Go:",
    "block-start",
    "# plan (# plan)",
    "step 1 A",
    "1 x=one\ntwo",
    "step 2 B",
    "common dir=/d",
    "2 y=3",
    "block-end",
    "text: Done.",
  ]);
});

it("streams a long value before it is closed", () => {
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index} of a file, with a » and a < and a :`);
  const head = `${start}\ncommand_1:»»»File.Write«««\ncontent_1:»»»\n`;
  const events = feed([head, ...lines.map((line) => `${line}\n`)]);
  const value = `${lines.join("\n")}\n`;
  const streamed = deltas(events, "content");
  expect(value.startsWith(streamed)).toBe(true);
  expect(streamed.length).toBeGreaterThan(value.length - 200);
});

it("streams a long value of a single line before it is closed", () => {
  const events = feed([`${start}\ncommand_1:»»»T«««\na_1:»»»`, ...Array(100).fill("abcdefghij")]);
  expect(deltas(events, "a").length).toBeGreaterThan(800);
});

it("gives out nothing that may be a delimiter", () => {
  for (const cut of [
    "x«",
    "x««",
    "x«««",
    "x«««\n",
    "x«««\ny",
    "x\nb",
    "x\nb_1:",
    "x\nb_1:»",
    "x \n ",
    "x\n<|[END_TOOL",
  ]) {
    const streamed = deltas(feed([`${start}\ncommand_1:»»»T«««\na_1:»»»${cut}`]), "a");
    expect("x", cut).toContain(streamed);
  }
});

it("says where a block starts, and ends it once", () => {
  const text = `Go:\n${start}\ncommand:»»»A«««\n${end}\n`;
  const events = feed(text.split(""));
  expect(events.filter(({ phase }) => phase === "block-start")).toEqual([
    { phase: "block-start", type: "block-start", start: text.indexOf(start) },
  ]);
  expect(events.filter(({ phase }) => phase === "block-end")).toHaveLength(1);
});
