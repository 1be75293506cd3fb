import { defineTool, Toolkit } from "@toolglot/toolkit";

/** Tools whose results depend on their inputs alone, and whose effects are written down as `order apple 2`. */
export function openDesk(done: string[] = []): { toolkit: Toolkit; done: string[] } {
  const toolkit = new Toolkit();
  const add = (name: string, annotations: object = {}): void => {
    toolkit.registerToolFunction(
      defineTool({
        ...{ name, description: `Does ${name}.`, args: { article: "string", amount: "integer = 1" }, annotations },
        execute: ({ article, amount }) => {
          done.push(`${name} ${article} ${amount}`);
          return `${name}: ${article}`;
        },
      }),
    );
  };
  add("look", { readOnlyHint: true });
  add("order");
  add("set", { idempotentHint: true });
  add("drop", { destructiveHint: true });
  return { toolkit, done };
}
