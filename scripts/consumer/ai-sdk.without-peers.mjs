// Run where @toolglot/ai-sdk is installed and the AI SDK isn't: nothing of it is needed to make what it is given.
import assert from "node:assert/strict";
import { fromAiSdkTools, toolglotMiddleware } from "@toolglot/ai-sdk";

assert.throws(() => toolglotMiddleware({}), /protocol is a protocol/);
assert.deepEqual(fromAiSdkTools({}), []);
await assert.rejects(import("ai"), /Cannot find package 'ai'/);
