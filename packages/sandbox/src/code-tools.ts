import {
  type AnyTool,
  type ApprovalRequest,
  type ContentBlock,
  type Decision,
  type ExecutorContext,
  type JsonSchema,
  type Locale,
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  ToolError,
} from "@toolglot/core";
import { renderTypeScriptDeclarations } from "@toolglot/core/stubs";
import { checkKeys, defined } from "@toolglot/internal";
import { checkRunOptions, checkSandbox, checkSession, sessionCure } from "./check-options.ts";
import { describeError, describeWaiting, runOrResume } from "./executor.ts";
import { fileBlocks } from "./file-blocks.ts";
import { bindTools } from "./run/tools.ts";
import type { SandboxRun } from "./run-types.ts";
import type { Sandbox } from "./sandbox-types.ts";
import type { SandboxSession, SessionRun } from "./session/types.ts";
import type { ImportPolicy, ProgramStyle, SandboxLanguage } from "./types.ts";

/** Input of `executePythonCode` and `executeJavascriptCode`. */
export interface CodeToolInput {
  /** The program. */
  code: string;
}

/** Options of {@link codeTools}. */
export interface CodeToolsOptions {
  /** Tools of the programs, besides those of the sandbox, and winning over them. */
  tools?: readonly AnyTool[];
  /** Default: that of the sandbox. */
  imports?: ImportPolicy;
  /** Default: that of the sandbox. */
  style?: ProgramStyle;
  /**
   * Asked before a program calls a tool that needs approval. Absent: such calls are denied. `later` is for programs of a session with a log:
   * the tool's error names what the program waits for, and the same program resumes there when it is run again.
   */
  approve?(request: ApprovalRequest): Promise<Decision | "later">;
  /**
   * The programs are those of a session, and find what earlier ones left; of one sandbox alone. A function is asked before
   * each program, as by the conversation it belongs to.
   */
  session?: SandboxSession | ((context: ToolContext) => SandboxSession | Promise<SandboxSession>);
  /** Language of the descriptions. Default `en`. */
  locale?: Locale;
}

/** The tool that runs programs of one language. */
export interface CodeToolKind {
  name: string;
  /** Description of the tool. */
  about: Readonly<
    Record<Locale, (seconds: number, libraries: readonly string[], isNotebook: boolean, kept: string) => string>
  >;
  renderTools(tools: readonly AnyTool[], options: { locale: Locale }): string;
}

/** The tools that there are. A browser runs no Python, and needs no words for it. */
export type CodeToolKinds = Readonly<Partial<Record<SandboxLanguage, CodeToolKind>>>;

export const javascriptTool: CodeToolKind = {
  name: "executeJavascriptCode",
  about: {
    en: (seconds, _, isNotebook, kept) =>
      `Runs a JavaScript program (not TypeScript). ${isNotebook ? "Its result is the value of its last expression, or what it returns" : "Assign its result to `__result__`, or return it at the end"}; what console.log prints comes back too. Nothing can be imported. There are no files and no network, ${kept}, and a program may work for ${seconds} s.`,
    zh: (seconds, _, isNotebook, kept) =>
      `运行一个 JavaScript 程序（不是 TypeScript）。${isNotebook ? "结果是最后一个表达式的值，或用 return 返回的值" : "结果须赋值给 `__result__`，或在最后用 return 返回"}；console.log 打印的内容也会返回。不能导入任何模块。没有文件和网络，${kept}，程序自身最多运行 ${seconds} 秒。`,
  },
  renderTools: renderTypeScriptDeclarations,
};

interface Wording {
  tools: string;
  code: string;
  /** What a program finds of earlier ones: nothing, and in a session. */
  nothing: string;
  variables: string;
  variablesAndFiles: string;
}

const wording: Readonly<Record<Locale, Wording>> = {
  en: {
    tools: "The program can call these functions:",
    code: "The program",
    nothing: "nothing is kept from one run to the next",
    variables:
      "variables, functions and classes stay for the next program (after a time-out or lack of memory they are as before that program)",
    variablesAndFiles:
      "variables, functions, classes and files in `/mnt/data` stay for the next program (after a time-out or lack of memory they are as before that program)",
  },
  zh: {
    tools: "程序可以调用以下函数：",
    code: "程序",
    nothing: "各次运行之间不保留任何内容",
    variables: "变量、函数和类会保留到下一个程序（超时或内存不足后恢复到该程序运行之前的状态）",
    variablesAndFiles:
      "变量、函数、类以及 `/mnt/data` 中的文件会保留到下一个程序（超时或内存不足后恢复到该程序运行之前的状态）",
  },
};

const outputSchema: JsonSchema = {
  type: "object",
  properties: {
    value: { description: "The program's result" },
    logs: {
      type: "array",
      items: {
        type: "object",
        properties: { stream: { enum: ["stdout", "stderr"] }, text: { type: "string" } },
        required: ["stream", "text"],
      },
    },
    warnings: { type: "array", items: { type: "string" } },
    state: { enum: ["rolled-back"], description: "Variables are as before the program" },
  },
  required: ["value", "logs"],
};

/** Makes `codeTools()` of an entry, which knows these tools. */
export function makeCodeTools(
  kinds: CodeToolKinds,
  sandboxes: Sandbox | readonly Sandbox[],
  options: CodeToolsOptions,
): Tool<CodeToolInput>[] {
  const list = [sandboxes].flat() as readonly Sandbox[];
  for (const sandbox of list) checkSandbox("codeTools()", sandbox);
  checkKeys(
    "codeTools()",
    options,
    'tools:object[] imports:"refuse"|"ignore-allowed" style:"attp"|"notebook" approve:function session:object|function locale:"zh"|"en"',
    [],
    sessionCure,
  );
  const { tools, imports, style, approve, session } = options;
  checkRunOptions(defined({ tools, imports, style, approve }));
  checkSession("codeTools()", session);
  if (session !== undefined && list.length > 1) throw new TypeError("codeTools() takes one sandbox with a session.");
  const languages = list.map(({ language }) => language);
  if (new Set(languages).size < languages.length) {
    throw new TypeError("codeTools() takes one sandbox for each language: their tools would have the same name.");
  }
  return list.map((sandbox) => {
    const kind = kinds[sandbox.language];
    if (!kind) throw new TypeError(`codeTools() has no tool for ${sandbox.language} here.`);
    return codeTool(kind, sandbox, options);
  });
}

function codeTool(kind: CodeToolKind, sandbox: Sandbox, options: CodeToolsOptions): Tool<CodeToolInput> {
  const { language } = sandbox;
  const { tools = [], imports, approve, session, locale = "en" } = options;
  const style = options.style ?? sandbox.style;
  const isNotebook = style === "notebook";
  const words = wording[locale];
  const inner = bindTools(sandbox.tools, tools, language).map(({ tool }) => tool);
  const about = kind.about[locale](
    sandbox.limits.timeoutMs / 1000,
    sandbox.librariesOf(style),
    isNotebook,
    session ? words[isNotebook && language === "python" ? "variablesAndFiles" : "variables"] : words.nothing,
  );
  return {
    name: kind.name,
    description:
      inner.length === 0 ? about : `${about}\n\n${words.tools}\n\n${kind.renderTools(inner, { locale }).trimEnd()}`,
    inputSchema: {
      type: "object",
      properties: { code: { type: "string", description: words.code } },
      required: ["code"],
      additionalProperties: false,
    },
    // Files come out as content, beside the value.
    ...(isNotebook ? {} : { outputSchema }),
    annotations: annotationsOf(inner),
    async execute({ code }: CodeToolInput, context: ToolContext) {
      const { signal, callId, runId, wait, hooked } = context;
      const passOn = context.ask;
      const ask: ExecutorContext["ask"] = passOn && ((question) => passOn(question));
      if (typeof code !== "string") throw new ToolError("code must be the program's text");
      const open = typeof session === "function" ? await session(context) : session;
      const more = {
        tools,
        signal,
        callIdPrefix: callId,
        style,
        ...defined({ imports, approve, runId, wait, ask, hooked }),
      };
      const run = await (open === undefined ? sandbox.run(code, more) : runOrResume(open, code, more));
      signal.throwIfAborted();
      if (run.status === "parked") {
        throw new ToolError(describeWaiting(run), { data: { needs: "later", parked: run.parked } });
      }
      return outcomeOf(run);
    },
  };
}

/** Returns a program's annotations: it does what its tools do; approvals are asked for each of them, not for the program. */
function annotationsOf(tools: readonly AnyTool[]): ToolAnnotations {
  const every = (hint: "readOnlyHint" | "idempotentHint"): boolean =>
    tools.every(({ annotations = {} }) => annotations.readOnlyHint === true || annotations[hint] === true);
  return {
    readOnlyHint: every("readOnlyHint"),
    idempotentHint: every("idempotentHint"),
    openWorldHint: tools.some(({ annotations }) => annotations?.openWorldHint === true),
  };
}

/** Units of printed text that an error carries. */
const maxPrinted = 2000;

function outcomeOf(run: SandboxRun & { state?: SessionRun["state"] }): Record<string, unknown> | ContentBlock[] {
  const { logs, stats, toolCalls, state } = run;
  const conversions = stats.conversions.map(({ path, from, to }) => `${path || "value"}: ${from} became ${to}`);
  const warnings = [...stats.warnings, ...conversions];
  const rolledBack = state === "rolled-back" ? { state } : {};
  const more = { logs, ...(warnings.length > 0 ? { warnings } : {}), ...rolledBack };
  if (run.status === "ok") {
    const outcome = { value: run.value, ...more };
    return run.files === undefined
      ? outcome
      : [{ type: "text", text: JSON.stringify(outcome) }, ...fileBlocks(run.files)];
  }
  const printed = logs.map(({ text }) => text.replace(/\n$/, "")).join("\n");
  if (run.error.type === "MissingResult" && printed !== "") return { value: null, ...more };
  const tail = printed.length > maxPrinted ? `…${printed.slice(-maxPrinted)}` : printed;
  const message = describeError(run.error);
  throw new ToolError(tail === "" ? message : `${message}\nPrinted before:\n${tail}`, {
    data: { error: run.error, logs, toolCalls },
  });
}
