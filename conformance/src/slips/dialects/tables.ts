import type { Bar, Findings } from "@toolglot/internal/testing/pages";
import { readBodies } from "../bodies.ts";
import type { Judged } from "../run.ts";
import { summarize } from "../summary.ts";
import { cells, columns } from "../tables.ts";
import { peerDialects, runPeerDialect } from "./peers.ts";
import { runDialect } from "./run.ts";
import { classNames } from "./slips.ts";
import { written } from "./write.ts";

/** Counts what becomes of slips in every dialect that is written, in every so many cases. */
export function measureDialectSlips(conformance: string, every: number, progress: (text: string) => void): Findings {
  const bodies = readBodies(conformance);
  const all: Judged[] = [];
  const rows: string[][] = [];
  for (const row of written) {
    progress(`slips: ${row.id}`);
    const judged = runDialect(row, bodies, every);
    all.push(...judged);
    rows.push([row.id, ...cells(judged)]);
  }
  const wrong = all.filter(({ outcome }) => outcome === "wrong");
  for (const line of summarize(wrong).slice(0, 5)) progress(`silently wrong: ${line}`);
  const beside = peerDialects.flatMap((dialect) => {
    progress(`slips: @ai-sdk-tool/parser, ${dialect}`);
    const own = rows.find(([id]) => id === dialect) ?? [];
    return [
      [`@toolglot/dialects, ${dialect}`, ...own.slice(1)],
      [`@ai-sdk-tool/parser 4.1.26, ${dialect}`, ...cells(runPeerDialect(dialect, bodies, every))],
    ];
  });
  const count = (value: number): string => value.toLocaleString("en-US");
  const bars: Bar[] = [
    {
      what: `wrong, of ${count(all.length)} readings`,
      limit: "0",
      measured: count(wrong.length),
      met: wrong.length === 0,
    },
  ];
  return {
    bars,
    tables: [
      { title: "Beside the peer that reads two of them", columns: ["parser", ...columns], rows: beside },
      { title: "By dialect", columns: ["dialect", ...columns], rows: [...rows, ["all", ...cells(all)]] },
      {
        title: "By class",
        note: "Calls that are lost stay in the visible text, as the model wrote them, and no finding names them.",
        columns: ["class", ...columns],
        rows: classNames.map((id) => [id, ...cells(all.filter(({ slipCase }) => slipCase.slip === id))]),
      },
    ],
  };
}
