import { readFileSync } from "node:fs";
import { growthOf } from "@toolglot/internal/testing/growth";
import { expect, it } from "vitest";
import { createResponseParser, parseResponse, type ResponseTemplate } from "../src/response-template/index.ts";

const folder = new URL("../../../conformance/response-templates/", import.meta.url);
/** Calls with tags, calls in Python, and a pattern that looks ahead. */
const templates = ["qwen3.5", "lfm2.5", "nemotron-3"].map((name) => {
  const file = JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8")) as { template: ResponseTemplate };
  return [name, file.template] as const;
});

const call = "<tool_call><function=f>";
const texts: Record<string, string> = {
  prose: "Some words, (and) a line.\n",
  openers: "<tool_call>",
  closers: "</tool_call>",
  "openers of thoughts": "<think>",
  "closers of thoughts": "</think>",
  "near openers": "<tool_cal",
  "first characters": "<",
  "near calls of Python": ", aaaa",
  "calls of Python": "<|tool_call_start|>[f(",
  tags: `${call}<parameter=a>`,
};
/** What stands in one call: begun, repeated, and ended. */
const values: Record<string, [start: string, repeated: string, end: string]> = {
  "tags that nothing closes": [call, "<parameter=a>", "</tool_call>"],
  "tags without end": [call, "<parameter=", "\n</parameter></tool_call>"],
  "spaces in a value": [`${call}<parameter=a>x`, " ", "y</parameter></tool_call>"],
  "spaces behind a closer": ["</think>", " ", "x"],
  "a name of Python": ["<|tool_call_start|>[f(", "a", ")"],
  "a text of Python": ["<|tool_call_start|>[f(a='", "b", "')]<|tool_call_end|>"],
  "brackets of Python": ["<|tool_call_start|>[f(a=", "[{", ")"],
  "brackets of JSON": ["<tool_call>", "[", "</tool_call>"],
  "quotes of JSON": ["<tool_call>", '"', "</tool_call>"],
  "backslashes of JSON": ['<tool_call>"', "\\", '"</tool_call>'],
  "digits of JSON": ["<tool_call>", "1", "</tool_call>"],
};
const all: [string, (size: number) => string][] = [
  ...Object.entries(texts).map(([name, text]): [string, (size: number) => string] => [
    name,
    (size) => text.repeat(size / text.length),
  ]),
  ...Object.entries(values).map(([name, [start, repeated, end]]): [string, (size: number) => string] => [
    name,
    (size) => start + repeated.repeat(size / repeated.length) + end,
  ]),
];

it.each(all)("reads %s in linear time", (_name, textOf) => {
  for (const [name, template] of templates) {
    const growth = growthOf((size) => {
      const text = textOf(size);
      return () => parseResponse(text, template);
    }, 60_000);
    expect(growth, name).toBeUndefined();
  }
});

it.each(all)("reads %s unit by unit", (_name, textOf) => {
  for (const [name, template] of templates) {
    const growth = growthOf((size) => {
      const text = textOf(size);
      return () => {
        const parser = createResponseParser(template);
        for (const unit of text) parser.feed(unit);
        parser.end();
      };
    });
    expect(growth, name).toBeUndefined();
  }
});
