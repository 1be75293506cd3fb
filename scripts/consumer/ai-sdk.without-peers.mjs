// Run where @toolglot/ai-sdk is installed and its peers aren't: nothing of them is needed but for `/rescue`.
import assert from "node:assert/strict";
import { fromAiSdkTools, toolglotMiddleware } from "@toolglot/ai-sdk";

assert.throws(() => toolglotMiddleware({}), /protocol is a protocol/);
assert.deepEqual(fromAiSdkTools({}), []);
await assert.rejects(import("@toolglot/ai-sdk/rescue"), /Cannot find package '@toolglot\/dialects'/);
await assert.rejects(import("ai"), /Cannot find package 'ai'/);
