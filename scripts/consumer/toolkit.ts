import { defineTool, Toolkit } from "@toolglot/toolkit";

const add = defineTool({
  name: "add",
  description: "Adds two numbers.",
  args: { a: "number", b: "number" },
  execute: ({ a, b }) => a + b,
});

export async function consume(): Promise<string> {
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(add);
  const shown = toolkit.getJsonSchemas().map((schema) => schema.function.name);
  const statuses: string[] = [];
  let text = "";
  // One number comes as text, as models like to write it.
  for await (const response of toolkit.callToolFunction({
    id: "1",
    name: "add",
    input: { a: 2, b: "3" },
  })) {
    if (response.isLast) statuses.push(response.status);
    text = response.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  }
  return [shown.join(), statuses.join(), text].join(" | ");
}

export const expected = "add | ok | 5";
