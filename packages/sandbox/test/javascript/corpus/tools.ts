/** The properties of each tool's input, and what it does: takes one object, may answer later. */
export interface CorpusTool {
  properties: Record<string, { default?: unknown }>;
  // biome-ignore lint/suspicious/noExplicitAny: each tool takes arguments of its own, as tools of a sandbox do.
  execute: (args: any) => unknown;
}

/**
 * The tools of the programs, by name. The generator gives them to the programs as they are, the tests wrap them as tools
 * of a sandbox. `ToolError`: what they throw, passed on word for word.
 */
export function corpusTools(ToolError: new (message: string) => Error): Record<string, CorpusTool> {
  return {
    add: {
      properties: { a: {}, b: { default: 2 } },
      execute: ({ a, b = 2 }: { a: number; b?: number }) => a + b,
    },
    get_user: {
      properties: { id: {} },
      execute: ({ id }: { id: number }) => {
        if (id > 3) throw new ToolError(`there is no user ${id}`);
        const name = ["Ada", "Bo", "Cy"][id - 1];
        return { id, name, tags: ["t1", "t2"].slice(0, id), active: id !== 3, manager: null };
      },
    },
    list_orders: {
      properties: { user_id: {}, limit: { default: 10 } },
      execute: ({ user_id, limit = 10 }: { user_id: number; limit?: number }) =>
        [0, 1, 2, 3].map((n) => ({ id: user_id * 100 + n, amount: n * 1.25 + user_id })).slice(0, limit),
    },
    wait: {
      properties: { ms: {}, value: {} },
      execute: ({ ms, value }: { ms: number; value: unknown }) =>
        new Promise((resolve) => setTimeout(resolve, ms, value)),
    },
    echo: { properties: { value: {} }, execute: ({ value }: { value: unknown }) => value },
    "File.Read": {
      properties: { path: {}, lines: { default: [1, 1] } },
      execute: ({ path, lines = [1, 1] }: { path: string; lines?: number[] }) =>
        lines.map((line) => `line ${line} of ${path}`).join("\n"),
    },
  };
}
