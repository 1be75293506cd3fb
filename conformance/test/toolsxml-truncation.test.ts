import { isRunnable } from "@toolglot/core";
import { drawn, leftToCi } from "@toolglot/internal/testing";
import { parse, type ToolsXmlBlock, type ToolsXmlCall } from "@toolglot/toolsxml";
import { expect, it } from "vitest";
import { expandText, readVectors, type Vector } from "../src/vector.ts";

/**
 * "A cut-off call never runs": every vector with a block that may run is cut at every character; what then runs has to be
 * the calls of the whole text, from the first on. Left out are texts whose bodies hold closing tags (a cut directly behind
 * one can't be distinguished from the end of the body) and those whose meaning an end far behind the block changes.
 */

const closer = /<\/(?:command|find|replace|input|ctrl|mcp|write_file|edit|read|file|tools)/i;
const cases = readVectors("toolsxml")
  .flatMap(({ vectors }) => vectors)
  .filter((vector) => {
    const text = expandText(vector.input);
    const { blocks } = parse(text, vector.options);
    return (
      text.length < 500 &&
      !vector.end &&
      !vector.options?.maxInputLength &&
      !/`|<\/think/i.test(text) &&
      blocks.some(isRunnable) &&
      !closer.test(JSON.stringify(blocks.map(({ calls }) => calls.map(withoutSpans))))
    );
  });

it("has enough texts to cut", () => {
  expect(cases.length).toBeGreaterThan(200);
});

/** Each of them is cut in `.ci/run`. */
const sample = drawn(cases, Math.ceil(cases.length / 3));

it.for(cases)("cut at every character: $name", (vector, context) => {
  leftToCi(context, sample.includes(vector));
  const text = expandText(vector.input);
  const whole = parse(text, vector.options).blocks;
  for (let end = 0; end < text.length; end += 1) {
    for (const [index, block] of runnable(text.slice(0, end), vector)) {
      const given = block.calls.map(withoutSpans);
      const wanted = (whole[index]?.calls ?? []).slice(0, given.length).map(withoutSpans);
      expect(given, `cut behind ${JSON.stringify(text.slice(Math.max(0, end - 20), end))}`).toEqual(wanted);
    }
  }
});

function runnable(text: string, { options }: Vector): [number, ToolsXmlBlock][] {
  return [...parse(text, options).blocks.entries()].filter(([, block]) => isRunnable(block));
}

function withoutSpans(call: ToolsXmlCall): unknown {
  const { span: _, ...rest } = call;
  return rest;
}
