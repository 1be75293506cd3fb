import { tellParent } from "@toolglot/internal/testing/tell-parent";
import { Roots } from "../../../src/files/roots.ts";
import { openJournal } from "../../../src/journal/open-journal.ts";
import { type Scenario, scenarios } from "../scenarios.ts";

// A process that opens a journal and makes a change; it throws at one moment, and is killed, or stops, at another.

interface Settings {
  root: string;
  dir: string;
  /** Without one it only opens. */
  scenario?: Scenario;
  throwAt?: string;
  killAt?: string;
  /** Tells `waiting` there, and waits for its end. */
  waitAt?: string;
}

const { root, dir, scenario, throwAt, killAt, waitAt } = JSON.parse(process.argv[2] ?? "") as Settings;

const journal = await openJournal({
  dir,
  roots: await Roots.open([root]),
  onPoint: async (name) => {
    if (name === throwAt) throw new Error(`failed at ${name}`);
    if (name === killAt) process.kill(process.pid, "SIGKILL");
    if (name !== waitAt) return;
    tellParent("waiting");
    setInterval(() => {}, 60_000);
    await new Promise(() => {});
  },
});
if (scenario !== undefined) {
  await scenarios[scenario].change(journal, root).then(
    () => tellParent("made"),
    (error: Error) => tellParent(`refused ${error.message}`),
  );
}
