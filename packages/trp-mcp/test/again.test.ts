import { again, sharedStores } from "../../postgres/test/every-store.ts";

// What reads and writes the store: calls, approvals, tasks, sessions that move, pins. The other tests are about what MCP looks like.
again(
  sharedStores,
  import.meta.dirname,
  [
    "calls/approvals",
    "calls/repeats",
    "import/pins",
    "serve/approvals",
    "serve/routed",
    "serve/shared-sessions",
    "serve/tasks",
  ],
  8,
);
