/**
 * For those who write a storage or an operation log: what every one must do, as cases for any test runner.
 *
 * ```ts
 * for (const { name, run } of storageSuite) it(name, () => run(async () => openMyStorage()));
 * for (const { name, run } of operationLogSuite) it(name, () => run(async ({ now }) => openMyStorage({ now }).operations));
 * ```
 */
export { type MakeOperationLog, type OperationLogCase, operationLogSuite } from "./operation-logs.ts";
export { type MakeStorage, type StorageCase, storageSuite } from "./storages.ts";
