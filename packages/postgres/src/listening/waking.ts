import type { OperationKey } from "@toolglot/core";
import type { ApprovalStore, RouterOperationLog } from "@toolglot/trp-core/store";
import type { Wakes } from "./wakes.ts";

/** An operation log that wakes those who wait for the end of an operation. */
export function wakingOperations(log: RouterOperationLog, wakes: Wakes): RouterOperationLog {
  const waking = async (key: OperationKey, written: Promise<boolean>): Promise<boolean> => {
    const isWritten = await written;
    if (isWritten) wakes.changed(operationName(key));
    return isWritten;
  };
  return {
    ...log,
    finish: (claim, ...rest) => waking(claim, log.finish(claim, ...rest)),
    doubt: (claim, ...rest) => waking(claim, log.doubt(claim, ...rest)),
    settle: (of, ...rest) => waking(of, log.settle(of, ...rest)),
    abandon: (claim) => waking(claim, log.abandon(claim)),
    whenChanged: (key, wait) => wakes.wait(operationName(key), wait),
  };
}

/** Approvals that wake those who wait for a decision. */
export function wakingApprovals(approvals: ApprovalStore, wakes: Wakes): ApprovalStore {
  return {
    ...approvals,
    async decide(id, ...rest) {
      const decided = await approvals.decide(id, ...rest);
      if (decided !== undefined) wakes.changed(approvalName(id));
      return decided;
    },
    whenChanged: (id, wait) => wakes.wait(approvalName(id), wait),
  };
}

const operationName = ({ scope, key }: OperationKey): string => JSON.stringify(["operation", scope, key]);
const approvalName = (id: string): string => JSON.stringify(["approval", id]);
