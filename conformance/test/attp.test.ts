import { readFileSync } from "node:fs";
import { type AttpDocument, createParser, parse, serialize } from "@toolglot/attp";
import { runVectors, type Skip } from "../src/suite.ts";

const skips = JSON.parse(readFileSync(new URL("../skips/attp.json", import.meta.url), "utf8")) as Skip[];

const call = ({ toolCall }: AttpDocument): { target?: string; code?: string; message?: string } => toolCall ?? {};

runVectors<AttpDocument>(
  {
    protocol: "attp",
    parse,
    createParser,
    serialize,
    finalValues: {
      "thought-delta": ({ thought }) => thought,
      "code-delta": (block) => call(block).code,
      "message-delta": (block) => call(block).message,
      target: (block) => call(block).target,
    },
    essence: ({ thought, toolCall, extra }) => {
      const { rawCode: _, ...rest } = { rawCode: undefined, ...toolCall };
      return { thought, toolCall: rest, extra };
    },
  },
  skips,
);
