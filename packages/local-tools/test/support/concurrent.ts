import { AsyncLocalStorage } from "node:async_hooks";
import { onTestFinished as ofTheOnlyTest, type TestContext, test } from "vitest";

const current = new AsyncLocalStorage<TestContext>();

type Body = (context: TestContext) => unknown;
type Many = <Case extends unknown[] | [unknown] | string | number>(
  cases: readonly Case[],
) => (name: string, body: (...values: Spread<Case>) => unknown, ms?: number) => void;
type Spread<Case> = Case extends unknown[] ? Case : [Case];

/**
 * Tests that run beside others of their file: those that mostly wait for a shell. What is made in one (a session, a folder) belongs to it, and is
 * gone when it is over.
 */
export const beside: { (name: string, body: Body, ms?: number): void; each: Many } = Object.assign(
  (name: string, body: Body, ms?: number): void => {
    test.concurrent(name, limit(ms), (context) => current.run(context, () => body(context)));
  },
  {
    each: ((cases: readonly unknown[]) =>
      (name: string, body: (...values: unknown[]) => unknown, ms?: number): void => {
        test.concurrent.for(cases)(name, limit(ms), async (values: unknown, context: TestContext) => {
          await current.run(context, () => body(...(Array.isArray(values) ? values : [values])));
        });
      }) as Many,
  },
);

function limit(timeout: number | undefined): { timeout?: number } {
  return timeout === undefined ? {} : { timeout };
}

/** Runs something when the test is over, in whichever way tests run. */
export function onTestFinished(done: () => unknown): void {
  const context = current.getStore();
  if (context === undefined) ofTheOnlyTest(async () => void (await done()));
  else context.onTestFinished(async () => void (await done()));
}

/** Whether the test runs beside others. */
export function besideOthers(): boolean {
  return current.getStore() !== undefined;
}
