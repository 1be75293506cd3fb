import { again, sharedStores } from "../../postgres/test/every-store.ts";

// What of the gateway reads and writes its store. Its other tests configure, render and log in, and have no store or never look at it;
// those that run programs take seconds each, and write what `code/approvals` writes.
again(
  sharedStores,
  import.meta.dirname,
  [
    "code/approvals",
    "code/tokens",
    "gateway/retention",
    "http/app",
    "http/events/webhook",
    "http/metrics",
    "page/page",
  ],
  8,
);
