import { ToolError } from "@toolglot/core";
import { copyJson } from "@toolglot/internal";
import { expect, it, vi } from "vitest";
import { adaptArguments } from "../src/calls/running/route.ts";
import { isFault } from "../src/frames/fault.ts";
import { capability } from "./rules-rig.ts";

it("maps canonical to native arguments (TRP v0.1 draft, 10.1)", () => {
  const toolA = capability({ adapt: ({ query, top_k }) => ({ q: query, limit: top_k }) });
  const toolB = capability({ adapt: ({ query, top_k }) => ({ keyword: query, page_size: top_k }) });
  const args = { query: "x", top_k: 5 };
  expect(adaptArguments(toolA, args)).toEqual({ native: { q: "x", limit: 5 } });
  expect(adaptArguments(toolB, args)).toEqual({ native: { keyword: "x", page_size: 5 } });
});

it("without an adapter, gives a copy of the arguments", () => {
  const args = { list: [{ a: 1 }] };
  const { native } = adaptArguments(capability(), args) as { native: typeof args };
  expect(native).toEqual(args);
  expect(native.list[0]).not.toBe(args.list[0]);
});

it("lets no adapter change the arguments that were checked", () => {
  const args = { list: [1] };
  adaptArguments(capability({ adapt: (given) => given.list.push(2) }), args);
  expect(args).toEqual({ list: [1] });
});

it("a ToolError of an adapter refuses the arguments, with its message", () => {
  const answer = adaptArguments(
    capability({
      adapt() {
        throw new ToolError("the date is in no known calendar");
      },
    }),
    {},
  );
  expect(answer).toMatchObject({ code: "TRP_2001", message: "the date is in no known calendar", dispatched: false });
});

it.each<[string, () => unknown]>([
  [
    "throws",
    () => {
      throw new Error("hunter2");
    },
  ],
  [
    "throws undefined",
    () => {
      throw undefined;
    },
  ],
  [
    "throws what can't be read",
    () => {
      throw new Proxy(
        {},
        {
          get() {
            throw new Error("hunter2");
          },
        },
      );
    },
  ],
  ["gives a promise", async () => ({})],
  ["gives a promise that rejects", () => Promise.reject(new Error("hunter2"))],
])("an adapter that %s is TRP_5001, and nothing of it gets out", async (_name, adapt) => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const answer = adaptArguments(capability({ adapt }), {});
  await new Promise((resolve) => setTimeout(resolve, 1));
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  expect(isFault(answer)).toBe(true);
  expect(answer).toMatchObject({
    code: "TRP_5001",
    message: "the arguments of cap.test.read.v1 could not be adapted",
    dispatched: false,
  });
});

it("copies JSON with every key as data, and leaves what is no plain object", () => {
  const date = new Date(0);
  const given = JSON.parse('{"__proto__":{"x":1},"a":[null,true,1.5,"s",{}]}');
  const copy = copyJson({ given, date });
  expect(JSON.stringify(copy.given)).toBe(JSON.stringify(given));
  expect(Object.getPrototypeOf(copy.given)).toBe(Object.prototype);
  expect(copy.date).toBe(date);
});
