import { spawn } from "node:child_process";
import { once as event } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { borders, type Orders } from "./worker.ts";

/** What processes are asked to do. */
export interface World extends Pick<Orders, "storage" | "address" | "ledger" | "how" | "leaseMs"> {
  /** Path of the worker's program. */
  worker: string;
  processes: number;
  keys: readonly string[];
  /** How often each process is killed before it comes to its end. */
  deaths: number;
  /** In 0 to 1, and so on: where and when they die, and in what order they ask. */
  random: () => number;
}

/** What was told to callers, and what happened. */
export interface Seen {
  /** Values that callers got, by key. */
  told: Map<string, string[]>;
  /** Keys of which a caller was told that nobody knows. */
  doubted: Set<string>;
  /** Effects that happened, by key. */
  effects: Map<string, string[]>;
  /** How many processes were killed at which border, or from outside. */
  killed: Map<string, number>;
  /** Other codes of errors. */
  codes: Map<string, number>;
}

/** Lets processes call everything several times, kills them over and over, and waits until all have come to their end. */
export async function runWorld(world: World): Promise<Seen> {
  const seen: Seen = {
    ...{ told: new Map(), doubted: new Set(), effects: new Map() },
    ...{ killed: new Map(), codes: new Map() },
  };
  await Promise.all(Array.from({ length: world.processes }, (_, index) => runProcess(world, index, seen)));
  if (existsSync(world.ledger)) {
    for (const line of readFileSync(world.ledger, "utf8").trimEnd().split("\n")) {
      const [key = "", effect = ""] = line.split(" ");
      add(seen.effects, key, effect);
    }
  }
  return seen;
}

async function runProcess(world: World, index: number, seen: Seen): Promise<void> {
  const { worker, storage, address, ledger, how, leaseMs, deaths, keys, random } = world;
  for (let life = 0; life <= deaths; life++) {
    // Each key twice.
    const order = shuffled([...keys, ...keys], random);
    const at = borders[(index + life) % borders.length] as (typeof borders)[number];
    const dies = { at, after: 1 + Math.floor(random() * (keys.length / 4)) };
    const isLast = life === deaths;
    const orders: Orders = { storage, address, ledger, how, leaseMs, keys: order, ...(!isLast && { dies }) };
    const child = spawn(process.execPath, [worker, JSON.stringify(orders)], { stdio: ["ignore", "pipe", "inherit"] });
    // At no border at all, once it has come so far as to say something.
    const ms = isLast ? 2 ** 30 : 300 + random() * 4_000;
    let timer: NodeJS.Timeout | undefined;
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => {
      timer ??= setTimeout(() => child.kill("SIGKILL"), ms);
      note(line, seen);
    });
    const [[code, signal]] = await Promise.all([event(child, "close"), event(lines, "close")]);
    clearTimeout(timer);
    if (signal === "SIGKILL") seen.killed.set(at, (seen.killed.get(at) ?? 0) + 1);
    else if (code !== 0) throw new Error(`a process ended with ${code}`);
  }
}

function note(line: string, { told, doubted, codes }: Seen): void {
  const [what = "", key = "", value = ""] = line.split(" ");
  if (what === "value") add(told, key, value);
  else if (what === "once/in-doubt") doubted.add(key);
  else codes.set(what, (codes.get(what) ?? 0) + 1);
}

/** What must not be: a list of sentences, empty when all is well. */
export function wrongs({ told, doubted, effects }: Seen, keys: readonly string[]): string[] {
  return keys.flatMap((key) => {
    const [values, done] = [told.get(key) ?? [], effects.get(key) ?? []];
    const wrong: string[] = [];
    if (done.length > 1) wrong.push(`${key} happened ${done.length} times`);
    if (values.some((value) => !done.includes(value))) wrong.push(`${key} was told to be done and was not`);
    if (new Set(values).size > 1) wrong.push(`${key} was told with several values`);
    if (values.length > 0 && doubted.has(key)) wrong.push(`${key} was told to be done, and in doubt`);
    if (values.length === 0 && !doubted.has(key)) wrong.push(`${key} has neither a value nor a doubt`);
    return wrong;
  });
}

function add(map: Map<string, string[]>, key: string, value: string): void {
  map.set(key, [...(map.get(key) ?? []), value]);
}

function shuffled<Item>(items: Item[], random: () => number): Item[] {
  for (let at = items.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [items[at], items[other]] = [items[other] as Item, items[at] as Item];
  }
  return items;
}
