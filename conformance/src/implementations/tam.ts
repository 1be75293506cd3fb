import { createParser, parse, serialize, type TamBlock, type TamEvent } from "@toolglot/tam";
import type { Implementation } from "../check.ts";
import type { FinalText } from "../events.ts";

const named = (step: number | undefined, param: string): string =>
  step === undefined ? `common ${param}` : `step ${step} ${param}`;

const texts = (step: number | undefined, params: Record<string, string>): [string, FinalText][] =>
  // A field without text gives no delta, so that of an empty last field nothing is known.
  Object.entries(params).map(([param, text]) => [named(step, param), text === "" ? () => true : text]);

/** TAM: a delta belongs to a numbered field of its block; of a parameter that is given twice the last field counts. */
export const tam: Implementation<TamBlock, TamEvent> = {
  protocol: "tam",
  parse,
  createParser,
  serialize,
  deltaField: (event) =>
    event.type === "param-delta" ? { id: `field ${event.field}`, name: named(event.step, event.param) } : undefined,
  finalTexts: ({ common, steps }) =>
    new Map([...texts(undefined, common), ...steps.flatMap(({ index, params }) => texts(index, params))]),
  mayBeLeftOut: ({ status, steps }, name) =>
    status === "truncated" ||
    steps.some(({ index, uris }) =>
      Object.keys(uris).some((param) => name.startsWith(`step ${index} `) && name.endsWith(param)),
    ),
  essence: ({ requestId, comment, comments, common, steps }) => ({
    requestId,
    comment,
    comments: comments.map(({ text }) => text),
    common,
    steps: steps.map(({ raw: _, span: __, errors: ___, ...step }) => step),
  }),
  parts: ({ steps, comments, diagnostics }) => [...steps, ...comments, ...diagnostics],
};
