import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { AgentSkill } from "../registry/skills.ts";

/**
 * Reads a skill from its folder: `name` and `description` stand in the front matter of its `SKILL.md`. Throws `TypeError`
 * when there is none, or it lacks one of them.
 */
export async function readAgentSkill(dir: string): Promise<AgentSkill> {
  const file = join(dir, "SKILL.md");
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) throw new TypeError(`${file} can't be read: a skill is a folder with a SKILL.md`);
  const front = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1];
  if (front === undefined)
    throw new TypeError(`${file} has no front matter: begin it with ---, name: … and description: …`);
  const fields = readFrontMatter(front);
  for (const key of ["name", "description"]) {
    if (!fields.get(key)) throw new TypeError(`${file} has no ${key} in its front matter`);
  }
  return { name: fields.get("name") as string, description: fields.get("description") as string, dir: resolve(dir) };
}

/** Keys with plain, quoted, folded or literal values: the part of YAML that skills use. */
function readFrontMatter(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const [, key, value = ""] = /^([\w-]+):[ \t]*([^\n]*)$/.exec(lines[at] ?? "") ?? [];
    if (key === undefined) continue;
    const more: string[] = [];
    while (/^[ \t]+\S|^[ \t]*$/.test(lines[at + 1] ?? "x")) more.push((lines[++at] ?? "").trim());
    const block = /^[|>][+-]?$/.exec(value.trim())?.[0];
    if (block) fields.set(key, more.join(block.startsWith("|") ? "\n" : " ").trim());
    else fields.set(key, unquote([value.trim(), ...more].join(" ").trim()));
  }
  return fields;
}

function unquote(value: string): string {
  if (/^"(?:[^"\\]|\\.)*"$/.test(value)) {
    try {
      return JSON.parse(value) as string;
    } catch {
      return value.slice(1, -1);
    }
  }
  if (/^'(?:[^']|'')*'$/.test(value)) return value.slice(1, -1).replaceAll("''", "'");
  return value.replace(/[ \t]+#.*$/, "");
}
