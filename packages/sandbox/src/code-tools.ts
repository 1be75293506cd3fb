import {
  type AnyTool,
  type ApprovalRequest,
  type Decision,
  type JsonSchema,
  type Locale,
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  ToolError,
} from "@toolglot/core";
import { renderTypeScriptDeclarations } from "@toolglot/core/stubs";
import { checkKeys, defined } from "@toolglot/internal";
import { checkRunOptions, checkSandbox } from "./check-options.ts";
import { describeError } from "./executor.ts";
import { bindTools } from "./run/tools.ts";
import type { ImportPolicy, Sandbox, SandboxLanguage, SandboxRun } from "./types.ts";

/** What `executePythonCode` and `executeJavascriptCode` take. */
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
  /** Asked before a program calls a tool that needs approval. Absent: such calls are denied. */
  approve?(request: ApprovalRequest): Promise<Decision>;
  /** Language of the descriptions. Default `en`. */
  locale?: Locale;
}

/** The tool that runs programs of one language. */
export interface CodeToolKind {
  name: string;
  /** What the tool says of itself. */
  about: Readonly<Record<Locale, (seconds: number, libraries: readonly string[]) => string>>;
  renderTools(tools: readonly AnyTool[], options: { locale: Locale }): string;
}

/** The tools that there are. A browser runs no Python, and needs no words for it. */
export type CodeToolKinds = Readonly<Partial<Record<SandboxLanguage, CodeToolKind>>>;

export const javascriptTool: CodeToolKind = {
  name: "executeJavascriptCode",
  about: {
    en: (seconds) =>
      `Runs a JavaScript program (not TypeScript). Assign its result to \`__result__\`, or return it at the end; what console.log prints comes back too. Nothing can be imported. There are no files, no network and no timers, nothing is kept from one run to the next, and a program may work for ${seconds} s.`,
    zh: (seconds) =>
      `运行一个 JavaScript 程序（不是 TypeScript）。结果须赋值给 \`__result__\`，或在最后用 return 返回；console.log 打印的内容也会返回。不能导入任何模块。没有文件、网络和定时器，各次运行之间不保留任何内容，程序自身最多运行 ${seconds} 秒。`,
  },
  renderTools: renderTypeScriptDeclarations,
};

const wording: Readonly<Record<Locale, { tools: string; code: string }>> = {
  en: { tools: "The program can call these functions:", code: "The program" },
  zh: { tools: "程序可以调用以下函数：", code: "程序" },
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
  },
  required: ["value", "logs"],
};

/** Makes `codeTools()` of an entry, which knows these tools. */
export function makeCodeTools(
  kinds: CodeToolKinds,
  sandboxes: Sandbox | readonly Sandbox[],
  options: CodeToolsOptions,
): Tool<CodeToolInput>[] {
  const list: readonly Sandbox[] = Array.isArray(sandboxes) ? sandboxes : [sandboxes as Sandbox];
  for (const sandbox of list) checkSandbox("codeTools()", sandbox);
  checkKeys("codeTools()", options, "tools imports approve locale");
  const { tools, imports, approve, locale } = options;
  checkRunOptions(defined({ tools, imports, approve }));
  if (locale !== undefined && !Object.hasOwn(wording, locale)) {
    throw new TypeError(`locale must be one of ${Object.keys(wording).join(", ")}, not ${JSON.stringify(locale)}.`);
  }
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
  const { tools = [], imports, approve, locale = "en" } = options;
  const words = wording[locale];
  const inner = bindTools(sandbox.tools, tools, language).map(({ tool }) => tool);
  const about = kind.about[locale](sandbox.limits.timeoutMs / 1000, sandbox.libraries);
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
    outputSchema,
    annotations: annotationsOf(inner),
    async execute({ code }: CodeToolInput, { signal, callId, wait }: ToolContext) {
      if (typeof code !== "string") throw new ToolError("code must be the program's text");
      const run = await sandbox.run(code, {
        tools,
        signal,
        callIdPrefix: callId,
        ...defined({ imports, approve, wait }),
      });
      signal.throwIfAborted();
      return outcomeOf(run);
    },
  };
}

/** A program does what its tools do; approvals are asked for each of them, not for the program. */
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

function outcomeOf(run: SandboxRun): Record<string, unknown> {
  const { logs, stats, toolCalls } = run;
  const conversions = stats.conversions.map(({ path, from, to }) => `${path || "value"}: ${from} became ${to}`);
  const warnings = [...stats.warnings, ...conversions];
  const more = { logs, ...(warnings.length > 0 ? { warnings } : {}) };
  if (run.status === "ok") return { value: run.value, ...more };
  const printed = logs.map(({ text }) => text.replace(/\n$/, "")).join("\n");
  if (run.error.type === "MissingResult" && printed !== "") return { value: null, ...more };
  const tail = printed.length > maxPrinted ? `…${printed.slice(-maxPrinted)}` : printed;
  const message = describeError(run.error);
  throw new ToolError(tail === "" ? message : `${message}\nPrinted before:\n${tail}`, {
    data: { error: run.error, logs, toolCalls },
  });
}
