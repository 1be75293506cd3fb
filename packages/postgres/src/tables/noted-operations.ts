import type { RouterOperationLog } from "@toolglot/trp-core/store";
import type { Acknowledged } from "../database/acknowledged.ts";
import { operationId } from "./operation-rows.ts";

/** Notes which operations the database has acknowledged, so that it is noticed when it forgets them. */
export function notedOperations(operations: RouterOperationLog, acknowledged: Acknowledged): RouterOperationLog {
  const claiming =
    <Args extends [Parameters<RouterOperationLog["claim"]>[0], ...unknown[]], Result extends { status: string }>(
      act: (...args: Args) => Promise<Result>,
    ) =>
    async (...args: Args): Promise<Result> => {
      const { leaseMs, ttlMs } = args[0];
      const since = performance.now();
      const result = await act(...args);
      const { claim } = result as { claim?: Parameters<RouterOperationLog["begin"]>[0] };
      if (claim) {
        acknowledged.held(operationId(claim), claim.fence, { leaseMs, ...(ttlMs !== undefined && { ttlMs }) }, since);
      }
      return result;
    };
  /** Others may end a doubt, and drop what was given back. */
  const leaving =
    <Args extends [Parameters<RouterOperationLog["read"]>[0], ...unknown[]], Result>(
      act: (...args: Args) => Promise<Result>,
    ) =>
    (...args: Args): Promise<Result> => {
      acknowledged.leave(operationId(args[0]));
      return act(...args);
    };
  return {
    ...operations,
    claim: claiming(operations.claim),
    takeOver: claiming(operations.takeOver),
    start: claiming(operations.start),
    doubt: leaving(operations.doubt),
    settle: leaving(operations.settle),
    abandon: leaving(operations.abandon),
    async finish(claim, result, together) {
      const id = operationId(claim);
      const since = performance.now();
      if (result.state === "released") acknowledged.leave(id);
      const isOver = await operations.finish(claim, result, together);
      if (isOver) acknowledged.ended(id, since);
      return isOver;
    },
  };
}
