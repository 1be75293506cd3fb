// What only a gateway with an HTTP side has: it loads when one listens.
export { createHttpApp } from "../http/app.ts";
export { listen } from "../http/listen.ts";
export { createApprovalsPage } from "../page/approvals-page.tsx";
