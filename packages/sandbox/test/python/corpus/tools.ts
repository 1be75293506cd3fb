import { type AnyTool, ToolError } from "@toolglot/core";
import { addTool, tool } from "../../support.ts";

/** The tools of corpus/generate.py. */
export const corpusTools: readonly AnyTool[] = [
  addTool,
  tool("get_user", { id: { type: "integer" } }, async ({ id }: { id: number }) => {
    if (id > 3) throw new ToolError(`there is no user ${id}`);
    const name = ["Ada", "Bo", "Cy"][id - 1];
    return { id, name, tags: ["t1", "t2"].slice(0, id), active: id !== 3, manager: null };
  }),
  tool(
    "list_orders",
    { user_id: { type: "integer" }, limit: { type: "integer", default: 10 } },
    ({ user_id, limit }: { user_id: number; limit: number }) =>
      [0, 1, 2, 3].map((n) => ({ id: user_id * 100 + n, amount: n * 1.25 + user_id })).slice(0, limit),
  ),
];
