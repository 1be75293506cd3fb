import type { SandboxLanguage } from "@toolglot/sandbox";

/** Functions that the sandbox offers to programs, and the members of the first one's input. */
export const callName = "toolglot_call";
export const searchName = "toolglot_search";
/** Others are the arguments' own, as Python's keywords give them: so these have names that no argument has. */
export const callMembers = { tool: "toolglot:tool", server: "toolglot:server", args: "toolglot:args" } as const;

// Both make `tools` of the functions above: any name is a server, any name of that is a tool. Which of them there are is asked at the call,
// so a program that goes on tomorrow finds the tools of tomorrow. A name may also be called itself: it is then a tool's whole name.

const { tool, server, args } = callMembers;

/** One line. `then` must not be found, or a server could not be awaited, nor returned by an async function. */
const javascript = `globalThis.tools = ((call, search) => {
const named = (target, own) => new Proxy(target, { __proto__: null, get: (_, name) => typeof name === "string" && name !== "then" ? own(name) : undefined });
const member = (tool, server) => (args = {}) => call({ "${tool}": tool, "${server}": server, "${args}": args });
return named({}, (name) => named(name === "search" ? (query, more) => search({ ...more, query }) : member(name, ""), (tool) => member(tool, name)));
})(${callName}, ${searchName});`.replaceAll("\n", " ");

/** A call through `functools.partial` can be in flight beside others, as the call of the function itself. */
const python = `class ToolglotServer(functools.partial):
    def __getitem__(self, name, partial=functools.partial):
        return partial(self.func, name, self.args[0])
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]
class ToolglotTools:
    search = staticmethod(${searchName})
    def __getitem__(self, name, call=${callName}, server=ToolglotServer):
        return server(call, name, "")
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]
tools = ToolglotTools()
del ToolglotTools, ToolglotServer`;

const preludes: Readonly<Record<SandboxLanguage, string>> = { javascript, python };

/** Returns a program with what makes `tools` before it. */
export function withTools(language: SandboxLanguage, code: string): string {
  // A first line that names an interpreter is a comment only at the start of a text.
  const plain = code.replace(/^\ufeff?#!/, language === "python" ? "#" : "//").replace(/^\ufeff/, "");
  return `${preludes[language]}\n${plain}`;
}

/** Lines that stand before the program's own. */
export function linesBefore(language: SandboxLanguage): number {
  return preludes[language].split("\n").length;
}
