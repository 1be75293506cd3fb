import { type ContentBlock, toJsonText } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { AliasRow } from "@toolglot/trp-core/frames";
import type { TrpClient } from "../types.ts";
import { catalogLines } from "./lines.ts";
import { findByName, unknownName } from "./router-input.ts";
import { shownRows } from "./router-tool.ts";

interface Answer {
  status: "ok";
  content: ContentBlock[];
  data: unknown;
}

function answer(data: unknown): Answer {
  return { status: "ok", content: [{ type: "text", text: toJsonText(data) }], data };
}

/** Schema, rules and examples of capabilities by name; an unknown name gets an error in its place. */
export async function describeCapabilities(
  client: TrpClient,
  names: readonly string[],
  rows: readonly AliasRow[],
): Promise<Answer> {
  const described = await Promise.all(
    names.map(async (name) => {
      const found = findByName(name, rows);
      if (found.length === 0) return { name, error: unknownName(name, rows).error.message };
      return Promise.all(
        found.map(async (row) => {
          const { schema, requiresApproval, examples } = await client.capQuery(row.cap_id);
          const { idx, desc: description, risk_tier: risk } = row;
          return {
            idx,
            name: row.name,
            description,
            risk,
            args: schema,
            requires_approval: requiresApproval,
            examples,
          };
        }),
      );
    }),
  );
  return answer(described.flat());
}

const searchCapability = "cap.trp.catalog.search.v1";
const most = 8;

/** Lines of the catalog that fit some words: by the router's own search if it has one, else by the words themselves. */
export async function searchCatalog(client: TrpClient, query: string, rows: readonly AliasRow[]): Promise<Answer> {
  const shown = shownRows(rows);
  const found = (await askRouter(client, query, rows)) ?? byWords(query, shown);
  const byCap = new Map(shown.map((row) => [row.cap_id, row]));
  const lines = catalogLines(found.map((capId) => byCap.get(capId)).filter((row) => row !== undefined));
  if (lines.length === 0) return answer({ note: `Nothing fits among ${shown.length} capabilities. Try other words.` });
  return answer({ matches: lines });
}

async function askRouter(client: TrpClient, query: string, rows: readonly AliasRow[]): Promise<string[] | undefined> {
  if (!rows.some((row) => row.cap_id === searchCapability)) return undefined;
  const { status, result } = await client.callByCap(searchCapability, { query, limit: most });
  const data = result?.data;
  if (status !== "success" || !isObject(data) || !Array.isArray(data.matches)) return undefined;
  return data.matches.flatMap((match) => (isObject(match) && typeof match.cap_id === "string" ? [match.cap_id] : []));
}

/** Capabilities whose name and description have most of the words. */
function byWords(query: string, rows: readonly AliasRow[]): string[] {
  const wanted = wordsOf(query);
  return rows
    .map((row) => {
      const name = wordsOf(row.name);
      const text = wordsOf(row.desc);
      const score = wanted.reduce((sum, word) => sum + 2 * Number(has(name, word)) + Number(has(text, word)), 0);
      return { capId: row.cap_id, score };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ capId }) => capId);
}

/** Words of three letters and more; of scripts without spaces, pairs of letters. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.flatMap((word) => {
    if (!/[\u2e80-\u9fff\uac00-\ud7af]/.test(word)) return word.length < 3 ? [] : [word];
    return Array.from({ length: Math.max(1, word.length - 1) }, (_, at) => word.slice(at, at + 2));
  });
}

function has(words: readonly string[], word: string): boolean {
  return words.some((other) => other.startsWith(word) || (other.length > 3 && word.startsWith(other)));
}
