import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { attempt } from "@toolglot/internal";
import { processFields } from "@toolglot/internal/node";
import { below, blockingUnseen, Processes, type Reading } from "./processes.ts";

/** System calls that wait, by architecture: their numbers differ. */
const calls: Readonly<Record<string, Readonly<Record<number, "read" | "poll" | "select" | "epoll">>>> = {
  x64: {
    0: "read",
    19: "read",
    7: "poll",
    271: "poll",
    23: "select",
    270: "select",
    232: "epoll",
    281: "epoll",
    441: "epoll",
  },
  arm64: { 63: "read", 65: "read", 73: "poll", 72: "select", 22: "epoll", 441: "epoll" },
};

interface Stat {
  pid: number;
  state: string;
  parent: number;
  group: number;
  session: number;
  /** The number of its terminal's device; 0 for none. */
  terminal: number;
  foreground: number;
  started: number;
}

function text(path: string): string | undefined {
  return attempt(() => readFileSync(path, "latin1"));
}

function link(path: string): string | undefined {
  return attempt(() => readlinkSync(path));
}

/** Returns names in a folder of /proc, not endlessly many; none when it can't be read. */
function listed(path: string): string[] {
  return attempt(() => readdirSync(path).slice(0, 64)) ?? [];
}

function stat(pid: number): Stat | undefined {
  const fields = processFields(pid);
  if (fields === undefined) return undefined;
  const at = (index: number): number => Number(fields[index]);
  return {
    pid,
    state: fields[0] ?? "",
    parent: at(1),
    group: at(2),
    session: at(3),
    terminal: at(4),
    foreground: at(5),
    started: at(19),
  };
}

function all(): Stat[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => stat(Number(pid))).filter((one) => one !== undefined);
}

/** Returns the processes that a process has started itself. */
export function childrenOf(parent: number): number[] {
  // Not every kernel lists them.
  const listedThere = text(`/proc/${parent}/task/${parent}/children`);
  if (listedThere !== undefined) return listedThere.split(" ").filter(Boolean).map(Number);
  return (attempt(all) ?? []).filter((one) => one.parent === parent && one.state !== "Z").map(({ pid }) => pid);
}

/** Returns all that descends from a shell's parent, the shell excepted. */
function processesBelow(shell: number): number[] {
  const parent = stat(shell)?.parent;
  if (parent === undefined) return [];
  return below(attempt(all) ?? [], [{ pid: parent }])
    .filter(({ pid, state }) => pid !== shell && state !== "Z")
    .map(({ pid }) => pid);
}

/** Returns the number that a process has in its own namespace; undefined when there is no such process. */
export function numberInside(pid: number): number | undefined {
  const numbers = /^NSpid:\s*(.+)$/m.exec(text(`/proc/${pid}/status`) ?? "")?.[1];
  return numbers === undefined ? undefined : Number(numbers.split(/\s+/).at(-1));
}

/** Returns true for a process that is gone, or only waits to be noticed. */
export function isOver(pid: number): boolean {
  return (stat(pid)?.state ?? "Z") === "Z";
}

/** Returns the terminal that a process has as its input; undefined when that is none. */
export function terminalOf(pid: number): string | undefined {
  const path = link(`/proc/${pid}/fd/0`);
  return path?.startsWith("/dev/") ? path : undefined;
}

/** Returns how the kernel numbers the terminal `/dev/pts/<index>`: majors from 136 on, 256 terminals each. */
function slaveNumber(index: number): number {
  return ((136 + (index >> 8)) << 8) | (index & 0xff);
}

/** What counts more. A `hidden` process counts less than one that is seen to wait. */
const weight: Readonly<Record<Reading, number>> = { no: 0, hidden: 1, poll: 2, read: 3 };
/** Terminals in terminals that are looked through. */
const maxTerminals = 4;

/** By /proc. Everything here is a look without waiting: /proc is memory. */
export class LinuxProcesses extends Processes {
  /** Not where the kernel doesn't say what a process is blocked on, or not to us. */
  override readonly showsPlaces: boolean = text("/proc/self/syscall") !== undefined;
  readonly limits: readonly string[] = this.showsPlaces ? [] : [blockingUnseen];
  /** Names of the session's terminal that mean another one, or none, in another session. */
  readonly #terminalNames: readonly string[];
  readonly #isConfined: boolean;

  /** `isConfined`: the shell is, and processes have the host's numbers; inside, its terminal is the console, too. */
  constructor(isConfined = false) {
    super();
    this.#isConfined = isConfined;
    this.#terminalNames = isConfined ? ["/dev/tty", "/dev/console"] : ["/dev/tty"];
  }

  static available(): boolean {
    return stat(process.pid) !== undefined;
  }

  async foreground(shell: number, terminal: boolean): Promise<number | undefined> {
    const own = stat(shell);
    if (!own) return undefined;
    if (terminal) return own.foreground > 0 ? own.foreground : undefined;
    const children = all().filter((one) => one.parent === shell && one.group !== own.group && one.state !== "Z");
    // What a shell waits for is what it started last.
    return children.sort((a, b) => a.started - b.started || a.pid - b.pid).at(-1)?.group ?? shell;
  }

  override stoppedInStart(group: number): number[] {
    const members = all().filter((one) => one.group === group);
    const asleep = new Set(members.filter(({ state }) => state === "D").map(({ pid }) => pid));
    return members.filter(({ parent, state }) => state === "T" && asleep.has(parent)).map(({ pid }) => pid);
  }

  override place(shell: number): string | undefined {
    const call = text(`/proc/${shell}/syscall`)?.trim();
    if (call === undefined || !/^\d/.test(call)) return undefined;
    const [number, fd, buffer, count] = call.split(" ");
    return `${number} ${fd} ${buffer} ${count} ${link(`/proc/${shell}/fd/${Number(fd)}`)}`;
  }

  override openAt(pid: number, fd: number): string | undefined {
    return link(`/proc/${pid}/fd/${fd}`);
  }

  override isTerminalName(place: string): boolean {
    return this.#terminalNames.includes(place);
  }

  override isStopped(pid: number): boolean {
    return stat(pid)?.state === "T";
  }

  override reading(group: number, tty: string): Reading {
    return this.#readingOf(all(), group, tty, maxTerminals);
  }

  /**
   * Returns what the process that counts most does, of a terminal's foreground group and of the sessions below it: `su` and `setsid --wait` sleep until
   * a child ends that reads the terminal although it isn't its own. Jobs in the background don't count: the system stops those that read.
   */
  #readingOf(processes: readonly Stat[], group: number, tty: string, terminals: number): Reading {
    const roots = processes.filter((one) => one.group === group);
    const own = new Set(roots.map(({ session }) => session));
    const others = below(processes, roots, ({ session }) => !own.has(session));
    let result: Reading = "no";
    for (const { pid, session } of [...roots, ...others]) {
      const devices = own.has(session) ? [tty, ...this.#terminalNames] : [tty];
      for (const thread of listed(`/proc/${pid}/task`)) {
        let reading = this.#threadReading(pid, thread, devices);
        if (reading === "poll") reading = this.#relayed(processes, pid, terminals) ?? reading;
        if (weight[reading] > weight[result]) result = reading;
        if (result === "read") return result;
      }
    }
    return result;
  }

  /**
   * Looks through a program that polls the terminal: it may be one such as `script`, which runs others on a terminal of their own and always
   * waits for both. Then what matters is who waits there. Undefined for any other program.
   */
  #relayed(processes: readonly Stat[], pid: number, terminals: number): Reading | undefined {
    if (terminals === 0) return undefined;
    for (const fd of listed(`/proc/${pid}/fd`)) {
      if (!/^\/dev\/(?:pts\/)?ptmx$/.test(link(`/proc/${pid}/fd/${fd}`) ?? "")) continue;
      const index = Number(/^tty-index:\s*(\d+)/m.exec(text(`/proc/${pid}/fdinfo/${fd}`) ?? "")?.[1]);
      const inner = below(processes, [{ pid }]).find(
        (one) => one.terminal === slaveNumber(index) && one.foreground > 0,
      );
      if (inner === undefined) continue;
      const reading = this.#readingOf(processes, inner.foreground, `/dev/pts/${index}`, terminals - 1);
      // What was printed there takes a while to come here.
      return reading === "read" ? "poll" : reading;
    }
    return undefined;
  }

  #threadReading(pid: number, thread: string, terminals: readonly string[]): Reading {
    const line = text(`/proc/${pid}/task/${thread}/syscall`);
    if (line === undefined) return "hidden";
    const [number, ...rest] = line.trim().split(" ");
    const [first = 0, second = 0] = rest.map(Number);
    const isTerminal = (fd: number): boolean => terminals.includes(link(`/proc/${pid}/fd/${fd}`) ?? "");
    const kind = calls[process.arch]?.[Number(number)];
    if (kind === "read") return isTerminal(first) ? "read" : "no";
    if (kind === "epoll") return this.#epollSet(pid, first).some(isTerminal) ? "poll" : "no";
    if (kind === "poll") return this.#pollSet(pid, first, second).some(isTerminal) ? "poll" : "no";
    if (kind === "select") return this.#selectSet(pid, first, second).some(isTerminal) ? "poll" : "no";
    // Another architecture: the kernel function it waits in distinguishes a terminal's reader from most others.
    if (calls[process.arch] === undefined && /^\d/.test(line)) {
      const place = text(`/proc/${pid}/task/${thread}/wchan`);
      return (place === "wait_woken" || place === "n_tty_read") && isTerminal(first) ? "read" : "no";
    }
    return "no";
  }

  /** Returns descriptors that an epoll set waits to read. */
  #epollSet(pid: number, fd: number): number[] {
    const info = text(`/proc/${pid}/fdinfo/${fd}`) ?? "";
    return [...info.matchAll(/^tfd:\s*(\d+) events:\s*([0-9a-f]+)/gm)]
      .filter(([, , events]) => (Number.parseInt(events ?? "0", 16) & 1) === 1)
      .map(([, target]) => Number(target));
  }

  /** Returns descriptors of an array of `struct pollfd` that are waited for to read. */
  #pollSet(pid: number, address: number, count: number): number[] {
    const bytes = this.#memory(pid, address, Math.min(count, 256) * 8);
    const found: number[] = [];
    for (let at = 0; at + 8 <= bytes.length; at += 8)
      if (bytes.readInt16LE(at + 4) & 1) found.push(bytes.readInt32LE(at));
    return found;
  }

  #selectSet(pid: number, count: number, address: number): number[] {
    if (address === 0) return [];
    const bytes = this.#memory(pid, address, Math.ceil(Math.min(count, 1024) / 8));
    const found: number[] = [];
    for (let fd = 0; fd < bytes.length * 8; fd++) if ((bytes[fd >> 3] ?? 0) & (1 << (fd & 7))) found.push(fd);
    return found;
  }

  #memory(pid: number, address: number, length: number): Buffer {
    if (length === 0) return Buffer.alloc(0);
    let fd: number | undefined;
    try {
      fd = openSync(`/proc/${pid}/mem`, "r");
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(fd, bytes, 0, length, address));
    } catch {
      return Buffer.alloc(0);
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }

  async started(shell: number): Promise<number[]> {
    return this.startedSync(shell);
  }

  override startedSync(shell: number): number[] {
    // The first process of a namespace is bash's parent, and that of all whose own parent has ended.
    if (this.#isConfined) return processesBelow(shell);
    const running = attempt(all) ?? [];
    return running
      .filter((one) => one.session === shell && one.pid !== shell && one.state !== "Z")
      .map((one) => one.pid);
  }

  override cwd(shell: number): string | undefined {
    const target = link(`/proc/${shell}/cwd`);
    return target?.endsWith(" (deleted)") ? undefined : target;
  }
}
