import { type DefinedTool, defineTool, Toolkit } from "@toolglot/toolkit";

/** A small shop: real tools over real state, one of them destructive. */
export function openShop(): { toolkit: Toolkit; stock: Map<string, number>; tools: DefinedTool[] } {
  const stock = new Map([
    ["apple", 5],
    ["pear", 2],
  ]);
  const tools = [
    defineTool({
      name: "count_stock",
      description: "Counts what is there of an article.",
      args: { article: "string - Name of the article" },
      annotations: { readOnlyHint: true },
      execute: ({ article }) => ({ article, count: stock.get(article) ?? 0 }),
    }),
    defineTool({
      name: "order",
      description: "Orders more of an article.",
      args: { article: "string", amount: "integer" },
      execute: ({ article, amount }) => {
        stock.set(article, (stock.get(article) ?? 0) + amount);
        return stock.get(article);
      },
    }),
    defineTool({
      name: "throw_away",
      description: "Throws an article away.",
      args: { article: "string" },
      annotations: { destructiveHint: true },
      execute: ({ article }) => stock.delete(article),
    }),
  ] as DefinedTool[];
  const toolkit = new Toolkit();
  for (const tool of tools) toolkit.registerToolFunction(tool);
  return { toolkit, stock, tools };
}
