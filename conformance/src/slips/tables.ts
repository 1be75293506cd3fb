import type { Bar, Findings, Table } from "@toolglot/internal/testing/pages";
import { readBodies } from "./bodies.ts";
import { drawnClasses, moreSeeds, slipClasses } from "./classes.ts";
import { formats } from "./formats.ts";
import { isSilent, outcomes } from "./judge.ts";
import { slipPeers } from "./peers.ts";
import { type Judged, runOwn, runPeer } from "./run.ts";
import { summarize } from "./summary.ts";

/** So many cases at least, for each of our parsers. */
const atLeast = 2000;

const silentOnes = (judged: readonly Judged[]): Judged[] => judged.filter(({ outcome }) => isSilent(outcome));

const number = (value: number): string => value.toLocaleString("en-US");

export const cells = (judged: readonly Judged[]): string[] => [
  number(judged.length),
  ...outcomes.map((outcome) => {
    const found = judged.filter((one) => one.outcome === outcome).length;
    return isSilent(outcome) && found > 0 ? `**${number(found)}**` : number(found);
  }),
];

export const columns = ["cases", "exact", "recovered", "held", "refused", "wrong", "lost"];

/** Counts how often parsers are silently wrong, in every so many cases. Reports the first failing cases of our parsers at once. */
export async function measureSlips(
  conformance: string,
  every: number,
  progress: (text: string) => void,
): Promise<Findings> {
  const bodies = readBodies(conformance);
  const bars: Bar[] = [];
  const tables: Table[] = [classTable()];
  const totals: string[][] = [];
  for (const format of formats) {
    progress(`slips: ${format.id}`);
    const { judged, excluded, ambiguous } = runOwn(format, bodies, { every });
    const more = moreSeeds.flatMap((seed) => runOwn(format, bodies, { seed, classes: drawnClasses, every }).judged);
    const all = [...judged, ...more];
    const silent = silentOnes(all);
    for (const line of summarize(all).slice(0, 5)) progress(`silently wrong, ${format.id}, ${line}`);
    bars.push({
      what: `silently wrong, ${format.id}, of ${number(judged.length)} cases, and ${number(more.length)} of two other seeds`,
      limit: "0",
      measured: number(silent.length),
      met: silent.length === 0 && judged.length * every >= atLeast,
    });
    const left = [...excluded.values()].reduce((sum, value) => sum + value, 0);
    const title = `Slips in ${format.id}`;
    const note = `Left out because the text is, to the letter, a right output with another meaning: ${number(left)} (${[...excluded].map(([slip, value]) => `${slip} ${number(value)}`).join(", ")}); bodies whose right output has another meaning too: ${ambiguous.length}.`;
    tables.push({ title, note, columns: ["class", ...columns], rows: byClass(judged) });
    totals.push([`@toolglot/${format.id}`, format.id, ...cells(judged), share(judged)]);
  }
  for (const peer of slipPeers) {
    progress(`slips: ${peer.name}`);
    const judged = await runPeer(peer, bodies, every);
    totals.push([peer.name, peer.format.id, ...cells(judged), share(judged)]);
  }
  const note =
    "Peers get the same bodies and the classes that exist in what they read. `@ai-sdk-tool/parser` gets all of them, as it is made for models' answers; fast-xml-parser and smol-toml get whole documents, without text around them. Values of peers are compared without white space at their ends, and a call without a required parameter counts as refused, since the host's check sees it.";
  tables.splice(1, 0, {
    title: "All slips",
    note,
    columns: ["parser", "format", ...columns, "silently wrong"],
    rows: totals,
    words: [1],
  });
  return { bars, tables };
}

const share = (judged: readonly Judged[]): string =>
  `${((100 * silentOnes(judged).length) / judged.length).toFixed(1)} %`;

function byClass(judged: readonly Judged[]): string[][] {
  return slipClasses.flatMap(({ id }) => {
    const found = judged.filter(({ slipCase }) => slipCase.slip === id);
    return found.length > 0 ? [[id, ...cells(found)]] : [];
  });
}

function classTable(): Table {
  const link = (source: string): string => {
    const [repository = "", thread = ""] = source.split("#");
    return `[${repository} #${thread}](https://github.com/${repository}/issues/${thread})`;
  };
  return {
    title: "Classes of slips",
    columns: ["class", "what is wrong", "seen in"],
    words: [1, 2],
    rows: slipClasses.map(({ id, about, sources }) => [id, about, sources.map(link).join(", ")]),
  };
}
