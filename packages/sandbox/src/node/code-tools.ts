import type { Tool } from "@toolglot/core";
import { renderPythonStubs } from "@toolglot/core/stubs";
import {
  type CodeToolInput,
  type CodeToolKind,
  type CodeToolsOptions,
  javascriptTool,
  makeCodeTools,
} from "../code-tools.ts";
import type { Sandbox } from "../sandbox-types.ts";

const pythonTool: CodeToolKind = {
  name: "executePythonCode",
  about: {
    en: (seconds, libraries, isNotebook, kept) =>
      isNotebook
        ? `Runs a Python program. Its result is the value of its last expression; what it prints comes back too, and so do the files that it writes to \`/mnt/data\` (pictures as pictures). It can import ${libraries.join(", ")}; nothing else. The functions below may be awaited, and then run side by side. There is no network and there are no processes, ${kept}, and a program may work for ${seconds} s.`
        : `Runs a Python program. Assign its result to \`__result__\`; what it prints comes back too. ${libraries.length === 0 ? "There are no libraries, and nothing can be imported" : `There without an import: ${libraries.join(", ")}; nothing else can be imported`}. There are no files, no network and no processes, ${kept}, and a program may work for ${seconds} s.`,
    zh: (seconds, libraries, isNotebook, kept) =>
      isNotebook
        ? `运行一个 Python 程序。结果是最后一个表达式的值；打印的内容和写入 \`/mnt/data\` 的文件也会返回（图片以图片形式返回）。可以导入 ${libraries.join("、")}；其他任何库都不能导入。下列函数可以 await，从而并行执行。没有网络和进程，${kept}，程序自身最多运行 ${seconds} 秒。`
        : `运行一个 Python 程序。结果须赋值给 \`__result__\`；打印的内容也会返回。${libraries.length === 0 ? "没有任何库，也不能导入" : `无需 import 即可使用：${libraries.join("、")}；其他任何库都不能导入`}。没有文件、网络和进程，${kept}，程序自身最多运行 ${seconds} 秒。`,
  },
  renderTools: renderPythonStubs,
};

/**
 * Returns the sandbox as a tool, for agents that call tools one by one: `executePythonCode`, or `executeJavascriptCode`, which run
 * one program each. One tool for each sandbox given, in that order; the functions that its programs find stand in the
 * tool's description.
 *
 * A tool returns `{ value, logs, warnings? }`; a program that only prints counts as done, with the value `null`. What makes
 * a program fail is thrown as a `ToolError` whose message has type, message, line, source line, hint, and what was printed
 * before. Calls that a program makes have the ids `<id of the call>:1`, `:2` and so on.
 *
 * Throws `TypeError` for two sandboxes of one language, for what is no sandbox, and for options that make no sense.
 *
 * @example
 * ```ts
 * const [tool] = codeTools(sandbox, { tools });
 * const code = "__result__ = await add({ a: 19, b: 23 });";
 * const output = await tool?.execute({ code }, { signal, callId: "call-1" });
 * ```
 */
export function codeTools(
  sandboxes: Sandbox | readonly Sandbox[],
  options: CodeToolsOptions = {},
): Tool<CodeToolInput>[] {
  return makeCodeTools({ python: pythonTool, javascript: javascriptTool }, sandboxes, options);
}
