import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { MontyRepl } from "@pydantic/monty";
import { inFolder } from "../machine.ts";
import { perRound } from "./measures.ts";
import { loadPyodide } from "./reuse.ts";

/** What one would use instead of a session. */
export interface ConversationPeer {
  name: string;
  /** Processor time of each program. */
  ms: number;
  left: string;
}

async function each(rounds: number, work: () => void): Promise<number> {
  work();
  return perRound(rounds, work);
}

/** @param step A program that changes a row. @param rows One that makes them. */
export async function conversationPeers(step: string, rows: string): Promise<ConversationPeer[]> {
  const engine = await loadPyodide();
  engine.runPython(rows);
  const raw = await each(200, () => engine.runPython(step));

  let repl = new MontyRepl();
  repl.feed(rows);
  const monty = await each(200, () => {
    repl.feed(step);
    repl = MontyRepl.load(repl.dump());
  });

  return inFolder(async (folder) => {
    const file = JSON.stringify(join(folder, "state"));
    const run = (command: string, option: string, code: string): void => {
      const { status, stderr } = spawnSync(command, [option, code]);
      if (status !== 0) throw new Error(String(stderr));
    };
    const python = (code: string): void =>
      run("python3", "-c", `import pickle\n${code}\npickle.dump(rows, open(${file}, "wb"))`);
    python(rows);
    const pickled = await each(10, () => python(`rows = pickle.load(open(${file}, "rb"))\n${step}`));
    const node = (code: string): void =>
      run(
        process.execPath,
        "-e",
        `const fs = require("node:fs");\n${code}\nfs.writeFileSync(${file}, JSON.stringify(rows))`,
      );
    node('const rows = Array.from({ length: 1000 }, (_, n) => ({ id: n, name: "row " + n, price: n * 1.5 }))');
    const parsed = await each(10, () => node(`const rows = JSON.parse(fs.readFileSync(${file}));\nrows[7].price += 1`));
    const byHand = "what is written down by hand";
    return [
      { name: "pyodide in the host's process, no border", ms: raw, left: "nothing" },
      { name: "@pydantic/monty 0.0.18, its state written and read", ms: monty, left: "all, of a subset of Python" },
      { name: "`python3 -c`, pickle", ms: pickled, left: byHand },
      { name: "`node -e`, JSON", ms: parsed, left: byHand },
    ];
  });
}
