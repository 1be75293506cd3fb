import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MontyRepl } from "@pydantic/monty";
import { processorMs } from "./measures.ts";
import { loadPyodide } from "./reuse.ts";

/** What one would use instead of a session. */
export interface ConversationPeer {
  name: string;
  /** Processor time of each program. */
  ms: number;
  left: string;
}

function each(times: number, work: () => void): number {
  work();
  const before = processorMs();
  for (let number = 0; number < times; number += 1) work();
  return (processorMs() - before) / times;
}

/** @param step A program that changes a row. @param rows One that makes them. */
export async function conversationPeers(step: string, rows: string): Promise<ConversationPeer[]> {
  const engine = await loadPyodide();
  engine.runPython(rows);
  const raw = each(200, () => engine.runPython(step));

  let repl = new MontyRepl();
  repl.feed(rows);
  const monty = each(200, () => {
    repl.feed(step);
    repl = MontyRepl.load(repl.dump());
  });

  const dir = mkdtempSync(join(tmpdir(), "toolglot-peers-"));
  try {
    const file = JSON.stringify(join(dir, "state"));
    const python = (code: string): void => {
      const { status, stderr } = spawnSync("python3", [
        "-c",
        `import pickle\n${code}\npickle.dump(rows, open(${file}, "wb"))`,
      ]);
      if (status !== 0) throw new Error(String(stderr));
    };
    python(rows);
    const pickled = each(10, () => python(`rows = pickle.load(open(${file}, "rb"))\n${step}`));
    const node = (code: string): void => {
      const text = `const fs = require("node:fs");\n${code}\nfs.writeFileSync(${file}, JSON.stringify(rows))`;
      const { status, stderr } = spawnSync(process.execPath, ["-e", text]);
      if (status !== 0) throw new Error(String(stderr));
    };
    node('const rows = Array.from({ length: 1000 }, (_, n) => ({ id: n, name: "row " + n, price: n * 1.5 }))');
    const parsed = each(10, () => node(`const rows = JSON.parse(fs.readFileSync(${file}));\nrows[7].price += 1`));
    return [
      { name: "pyodide in the host's process, no border", ms: raw, left: "nothing" },
      { name: "@pydantic/monty 0.0.18, its state written and read", ms: monty, left: "all, of a subset of Python" },
      { name: "`python3 -c`, pickle", ms: pickled, left: "what is written down by hand" },
      { name: "`node -e`, JSON", ms: parsed, left: "what is written down by hand" },
    ];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
