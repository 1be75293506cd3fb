import type { Action, Executor, JsonObject, JsonSchemaObject, Locale, Tool } from "@toolglot/core";
import { failure } from "@toolglot/core/executing";
import { checkKeys, isObject, textDigest } from "@toolglot/internal";
import type { AliasRow } from "@toolglot/trp-core/frames";
import { OpenKeys } from "../open-keys.ts";
import type { TrpClient } from "../types.ts";
import { searchCatalog } from "./catalog-answers.ts";
import { ProgramCalls } from "./program-calls.ts";
import { shownRows } from "./router-tool.ts";
import type { RouterApprovals } from "./row-call.ts";

/** Options of {@link programTools}. */
export interface ProgramToolsOptions {
  /**
   * Names the run of the program. The keys of its calls are made from this name and from the ids that the sandbox assigns
   * to the calls. So the same run, repeated by any process, has no effect twice.
   */
  runId: string;
  /** Goes with every call, for the router's audit. Default: the client's. */
  traceId?: string;
  /** For each call, in milliseconds. Default: the client's. */
  timeoutMs?: number;
  /**
   * With more capabilities than this, programs find them by `router.search` and call them by `router.call`. Default 40.
   */
  inlineLimit?: number;
  /** Language of the descriptions. Default `en`. */
  locale?: Locale;
  /**
   * Who decides in mid-program. Default: nobody here, so a program that needs it waits until it is decided elsewhere.
   */
  approvals?: RouterApprovals;
}

/**
 * A router's capabilities as functions of a program, for a sandbox: each by its name, and `router.call(name, args)`,
 * `router.batch([{ name, args }])`, `router.search(query)`. Every call is a call of its own, with policy, key, approval
 * and audit. A function returns the result's whole `data`, not what was cut for a model.
 *
 * A call that needs an approval is not made: the program is parked, where its run is durable, else it gets a
 * `ToolError`. Rejects when the catalog can't be read.
 *
 * @example
 * ```ts
 * const tools = await programTools(client, { runId: "report-2026-11-29" });
 * ```
 */
export async function programTools(client: TrpClient, options: ProgramToolsOptions): Promise<Tool[]> {
  checkKeys(
    "programTools",
    options,
    'runId:text traceId:string timeoutMs:number inlineLimit:number locale:"zh"|"en" approvals:{decide}',
    ["runId"],
  );
  checkKeys("programTools: approvals", options.approvals, "decide:function");
  return await makeTools(client, options, new OpenKeys());
}

/** Options of {@link programExecutor}. */
export type ProgramExecutorOptions = Omit<ProgramToolsOptions, "runId" | "traceId">;

/**
 * An executor of programs whose functions are a router's capabilities. `make` makes the executor of one program, as
 * `(tools) => sandboxExecutor(sandbox, { tools })`. In the router's audit the `trace_id` of each call is
 * `program:sha256:` and the digest of the program's text.
 */
export function programExecutor(
  client: TrpClient,
  make: (tools: readonly Tool[]) => Executor,
  options: ProgramExecutorOptions = {},
): Executor {
  checkKeys("programExecutor", options, 'timeoutMs:number inlineLimit:number locale:"zh"|"en" approvals:{decide}');
  checkKeys("programExecutor: approvals", options.approvals, "decide:function");
  const open = new OpenKeys();
  const plain = make([]);
  return {
    ...(plain.honoursHooks && { honoursHooks: true }),
    handles: (action: Action): boolean => action.kind === "code" && plain.handles(action),
    resumes: (action) => plain.resumes?.(action) ?? false,
    async execute(action, context) {
      if (action.kind !== "code") throw new TypeError(`a programExecutor runs code, not ${action.kind}`);
      const traceId = `program:sha256:${await textDigest(action.source)}`;
      let tools: readonly Tool[];
      try {
        tools = await makeTools(client, { ...options, runId: context.runId, traceId }, open);
      } catch {
        const message = "The router's catalog can't be read. Nothing was run.";
        return [{ callId: action.id, ...failure({ type: "RouterUnavailable", message }) }];
      }
      return await make(tools).execute(action, context);
    },
  };
}

async function makeTools(client: TrpClient, options: ProgramToolsOptions, open: OpenKeys): Promise<Tool[]> {
  const { inlineLimit = 40, locale = "en" } = options;
  const { rows } = await client.catalog();
  const shown = shownRows(rows).filter(({ cap_id: capId }) => !capId.startsWith("cap.trp."));
  const words = wording[locale];
  const program = new ProgramCalls(client, rows, options, open);
  const inline = shown.length > inlineLimit ? [] : shown;
  const named = inline.map((row) => inline.filter(({ name }) => name === row.name).length === 1);
  const schemas = await Promise.all(inline.map((row) => schemaOf(client, row)));
  const own = inline.map(
    (row, index): Tool<JsonObject> => ({
      name: named[index] ? row.name : row.cap_id,
      description: row.desc,
      inputSchema: schemas[index] as JsonSchemaObject,
      // The router does.
      validatesInput: true,
      annotations: { readOnlyHint: row.io_class === "READ", idempotentHint: true, riskTier: row.risk_tier },
      execute: (args, context) => program.call(row, args, context),
    }),
  );
  const general = { validatesInput: true, annotations: { idempotentHint: true } };
  const args = { type: "object", description: words.args } as const;
  const name = { type: "string", description: words.name } as const;
  return [
    ...own,
    {
      ...general,
      name: "router.call",
      description: words.call,
      inputSchema: { type: "object", properties: { name, args }, required: ["name"] },
      execute: (input: unknown, context) => program.callByName(input, context),
    },
    {
      ...general,
      name: "router.batch",
      description: words.batch,
      inputSchema: {
        type: "object",
        properties: {
          calls: { type: "array", items: { type: "object", properties: { name, args }, required: ["name"] } },
        },
        required: ["calls"],
      },
      execute: (input: unknown, context) => program.batch(input, context),
    },
    {
      name: "router.search",
      annotations: { readOnlyHint: true },
      description: words.search(shown.length),
      inputSchema: {
        type: "object",
        properties: { query: { type: "string", description: words.query } },
        required: ["query"],
      },
      async execute({ query }: { query: string }) {
        const { data } = await searchCatalog(client, String(query).slice(0, 500), rows);
        return isObject(data) && Array.isArray(data.matches) ? data.matches : [];
      },
    },
  ] as Tool[];
}

/** Returns the capability's own; that of the catalog's row where the capability's can't be had. */
async function schemaOf(client: TrpClient, row: AliasRow): Promise<JsonSchemaObject> {
  try {
    return (await client.capQuery(row.cap_id)).schema as JsonSchemaObject;
  } catch {
    const names = Object.keys(row.arg_template);
    const required = names.filter((name) => !row.arg_template[name]?.endsWith("?"));
    return { type: "object", properties: Object.fromEntries(names.map((name) => [name, true])), required };
  }
}

const wording = {
  en: {
    call: "Calls a capability of the router by its name, and gives its result. For those that are no function of their own.",
    batch:
      "Calls several capabilities side by side. Gives a list in the order of the calls: { ok: true, value } or { ok: false, error, code, executed }.",
    search: (count: number) =>
      `Finds capabilities by what is to be done, among ${count}. Gives lines: idx name(args) flags what it does.`,
    name: "Name of the capability.",
    args: "Arguments by name.",
    query: "A few words on what is to be done.",
  },
  zh: {
    call: "按名称调用路由器的一个能力并返回结果，用于没有独立函数的能力。",
    batch: "并行调用多个能力，按调用顺序返回列表：{ ok: true, value } 或 { ok: false, error, code, executed }。",
    search: (count: number) => `按要做的事查找能力，共 ${count} 个。返回目录行：idx 名称(参数) 标志 用途。`,
    name: "能力的名称。",
    args: "按名称给出的参数。",
    query: "用几个词说明要做什么。",
  },
} as const;
