/**
 * For those who write a store: what every store must do, as cases for any test runner. Of core's operation log,
 * `@toolglot/storage/testing` has the cases.
 *
 * ```ts
 * for (const { name, run } of storeSuite) it(name, () => run(({ now }) => openMyStore({ now })));
 * ```
 */

import { answerCases } from "./answers.ts";
import { approvalCases } from "./approvals.ts";
import { auditCases } from "./audit.ts";
import { expectedCases } from "./expected.ts";
import type { StoreCase } from "./fixtures.ts";
import { operationCases } from "./operations.ts";
import { otherCases } from "./others.ts";
import { outboxCases } from "./outbox.ts";
import { partCases } from "./parts.ts";
import { rateCases } from "./rates.ts";
import { sessionCases } from "./sessions.ts";

export type { MakeStore, StoreCase } from "./fixtures.ts";

/** What every `RouterStore` must do. Each case opens an empty store, closes it, and rejects when the store fails it. */
export const storeSuite: StoreCase[] = Object.entries({
  sessions: sessionCases,
  answers: answerCases,
  expected: expectedCases,
  operations: operationCases,
  parts: partCases,
  approvals: approvalCases,
  audit: auditCases,
  outbox: outboxCases,
  rates: rateCases,
  store: otherCases,
}).flatMap(([part, cases]) => cases.map(({ name, run }) => ({ name: `${part} ${name}`, run })));
