// What a result has goes by its status. The compiler runs over this file with all tests.
import type { RunResult } from "@toolglot/agent";
import { expect, it } from "vitest";

it("should have what its status says, and nothing else", () => {
  const told = (r: RunResult<{ city: string }>): string => {
    switch (r.status) {
      case "answered":
        return r.value.city;
      case "error":
        return r.error.message;
      case "limit":
        return r.limit;
      case "waiting":
        return `${r.pending.length} ${r.snapshot.runId}`;
      case "result":
        // @ts-expect-error a result may have no data
        return r.value.city;
      default:
        // @ts-expect-error no error here
        return r.error.message;
    }
  };
  // Without the status, everything may be missing.
  const loose = (r: RunResult): unknown[] => [r.value, r.error?.code, r.limit, r.pending?.[0], r.snapshot?.runId];
  expect([told, loose]).toHaveLength(2);
});
