import { spawnSync } from "node:child_process";
import { quoteWord } from "@toolglot/internal";
import { type FilledScript, fillScript, type PlaceProblem } from "../../src/placeholders/fill-script.ts";
import type { Placeholder } from "../../src/placeholders/word-reader.ts";

const placeholder = /\$(\$?)KARYI\{(\w+)\}/g;

export function fill(script: string, values: Record<string, string>): FilledScript | PlaceProblem {
  const places = [...script.matchAll(placeholder)].map((found): Placeholder => {
    const start = found.index;
    return { start, end: start + found[0].length, name: found[1] === "" ? found[2] : undefined };
  });
  return fillScript(script, places, new Map(Object.entries(values)));
}

/** What bash makes of a filled script: its standard output. */
export function outputOf(filled: FilledScript, cwd = "/"): string {
  const set = [...filled.variables].map(([name, value]) => `${name}=${quoteWord(value)}\n`).join("");
  const env = { PATH: process.env.PATH, HOME: "/home/model" };
  const { stdout } = spawnSync("bash", ["-s"], { input: `${set}${filled.text}\n`, cwd, env, encoding: "utf8" });
  return stdout;
}
