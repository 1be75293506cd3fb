import { createParser, parse, serialize, type TamBlock, type TamEvent } from "@toolglot/tam";
import type { Implementation } from "../check.ts";

const named = (step: number | undefined, param: string): string =>
  step === undefined ? `common ${param}` : `step ${step} ${param}`;

/** TAM: a delta belongs to a numbered field of its block; of a parameter that is given twice the last field counts. */
export const tam: Implementation<TamBlock, TamEvent> = {
  protocol: "tam",
  parse,
  createParser,
  serialize,
  deltaField: (event) =>
    event.type === "param-delta" ? { id: `field ${event.field}`, name: named(event.step, event.param) } : undefined,
  finalTexts: ({ common, steps }) =>
    new Map([
      ...Object.entries(common).map(([param, text]) => [named(undefined, param), text] as const),
      ...steps.flatMap(({ index, params }) =>
        Object.entries(params).map(([param, text]) => [named(index, param), text] as const),
      ),
    ]),
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
    steps: steps.map(({ raw: _, span: __, errors, ...step }) => ({ ...step, errors: errors.map(({ type }) => type) })),
  }),
  parts: ({ steps, comments, diagnostics }) => [...steps, ...comments, ...diagnostics],
};
