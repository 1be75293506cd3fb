import type { AnyTool } from "@toolglot/core";
import {
  createSandbox,
  type ProgramStyle,
  type Sandbox,
  type SandboxOptions,
  type SandboxRun,
} from "../../src/node/index.ts";
import { decodeFrame } from "../../src/node/python/frames.ts";
import { readError, readGuestMessage } from "../../src/run/guest-events.ts";
import type { SandboxToolCall } from "../../src/types.ts";
import { tool } from "../support.ts";

/** Runs one request after the other, each as the child runs its only one. */
const loop = `
import json
from toolglot_guest import event_loop, runner, tools
calls = event_loop._calls
mine = runner._kept[-1].request
answer = None
while True:
    tools.offer(mine["tools"])
    event_loop._calls = calls
    asked = exchange(answer)
    if asked is None:
        break
    request = {**mine, "tools": mine["tools"][:-1], "guard": True, **asked}
    answer = runner.run(json.dumps(request))
    del runner._kept[1:]
__result__ = None`;

const limits = { timeoutMs: 1_000_000, toolTimeMs: 2_000_000, maxToolCalls: 1_000_000, maxLogBytes: 16_000_000 };

interface Asked {
  code: string;
  imports: "refuse" | "ignore-allowed";
  style: ProgramStyle;
  seed: string;
}

type RunOptions = Partial<Omit<Asked, "code">>;

/**
 * One interpreter for many programs: 2 ms each where a process of its own takes 700. The guest's own modules do what they
 * do in every run: they read, guard and run the program, and report its outcome. For tests of what a program means; what
 * stands around an interpreter, and that nothing passes from one program to the next, is tested with one for each.
 */
export class SharedInterpreter {
  readonly #sandbox: Sandbox;
  readonly #tools: readonly AnyTool[];
  readonly #imports: Asked["imports"];
  #give: ((asked: Asked | null) => void) | undefined;
  #settle: ((run: SandboxRun) => void) | undefined;
  #outer: Promise<void> | undefined;
  #logs: SandboxRun["logs"] = [];
  #calls: SandboxToolCall[] = [];
  #first = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor({
    tools = [],
    imports = "refuse",
    ...more
  }: Pick<SandboxOptions, "tools" | "imports" | "libraries" | "style"> = {}) {
    this.#tools = tools;
    this.#imports = imports;
    this.#sandbox = createSandbox({ language: "python", guard: false, pool: { size: 0 }, limits, ...more });
  }

  /** One at a time, in the order they were asked for. */
  run(code: string, options: RunOptions = {}): Promise<SandboxRun> {
    const run = this.#turn.then(() =>
      this.#run({ code, imports: this.#imports, style: "attp", seed: "1", ...options }),
    );
    this.#turn = run.catch(() => {});
    return run;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#give?.(null);
    await this.#outer;
    await this.#sandbox[Symbol.asyncDispose]();
  }

  async #run(asked: Asked): Promise<SandboxRun> {
    this.#logs = [];
    this.#first = this.#calls.length + (this.#give === undefined ? 1 : 0);
    return await new Promise((resolve) => {
      this.#settle = resolve;
      if (this.#give) this.#give(asked);
      else this.#open(asked);
    });
  }

  /** Starts the interpreter with its first program. */
  #open(first: Asked): void {
    let next: Asked | undefined = first;
    const exchange = tool(
      "exchange",
      { answer: { type: ["string", "null"] } },
      async ({ answer }: { answer: string | null }) => {
        if (typeof answer === "string") this.#settle?.(this.#outcome(answer));
        if (next === undefined) {
          return await new Promise<Asked | null>((resolve) => {
            this.#give = resolve;
          });
        }
        const given = next;
        next = undefined;
        return given;
      },
    );
    this.#give = () => {};
    const run = this.#sandbox.run(loop, {
      tools: [...this.#tools, exchange],
      onLog: (entry) => this.#logs.push(entry),
      onToolCall: (call) => {
        this.#calls[Number(call.callId.split(":").at(-1)) - 1] = call;
      },
    });
    // A program that ends the interpreter has its outcome; the next one gets another interpreter.
    this.#outer = run.then((ended) => {
      this.#give = undefined;
      this.#calls = [];
      if (ended.status === "error") this.#settle?.(ended);
    });
  }

  #outcome(answer: string): SandboxRun {
    const said = readGuestMessage(decodeFrame(Buffer.from(answer)));
    if (said?.type !== "result" && said?.type !== "error") throw new Error(`no outcome: ${answer.slice(0, 200)}`);
    const { conversions, warnings } = said.report;
    const toolCalls = this.#calls.slice(this.#first).filter(({ name }) => name !== "exchange");
    const stats = { conversions, warnings, ...("bytes" in said ? { resultBytes: said.bytes } : {}) };
    const common = { logs: this.#logs, toolCalls, stats: stats as SandboxRun["stats"] };
    if (said.type === "result") return { status: "ok", value: said.value, ...common };
    const error = readError(said.error, this.#calls);
    if (error === undefined) throw new Error(`no error: ${answer.slice(0, 200)}`);
    return { status: "error", error, ...common };
  }
}
