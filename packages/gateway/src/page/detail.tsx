import { visibleText } from "@toolglot/internal";
import type { Child } from "hono/jsx";
import type { NameTool } from "../report/tool-names.ts";
import { Note, type View } from "./layout.tsx";
import { Risk, Status } from "./list.tsx";
import type { Markup } from "./markup.ts";
import type { Approval, ArgumentLine, LastDone } from "./rendered.ts";
import { minute, Time } from "./times.tsx";
import { ToolName } from "./tool-name.tsx";

interface DetailProps {
  view: View;
  approval: Approval;
  lines: ArgumentLine[];
  /** The arguments as JSON, with secrets hidden. */
  raw: string;
  tool: ReturnType<NameTool>;
  lastDone: LastDone | undefined;
  isOwn: boolean;
}

/** A request, with everything that a decision needs. */
export function Detail(props: DetailProps): Markup {
  const { view, approval, lines, raw, tool, lastDone, isOwn } = props;
  const { words } = view;
  const { deniedBefore } = approval;
  return (
    <>
      <a class="back" href="/approvals">
        ← {words.back}
      </a>
      <div class="head">
        <h1>
          <ToolName tool={tool} capId={approval.capId} />
        </h1>
        <Risk tier={approval.riskTier} words={words} />
      </div>
      {deniedBefore && (
        <Note kind="warn">
          {words.deniedBefore}: <Time at={deniedBefore.at} view={view} />, {words.deniedBy}{" "}
          <bdi>{visibleText(deniedBefore.by)}</bdi>
        </Note>
      )}
      <section class="sheet" aria-labelledby="arguments">
        <h2 id="arguments">{words.arguments}</h2>
        <Arguments view={view} lines={lines} raw={raw} />
      </section>
      <section class="sheet" aria-label={words.requestDetails}>
        <dl class="facts">
          <Fact name={words.requestedBy}>
            <bdi>{visibleText(approval.requester)}</bdi>
          </Fact>
          <Fact name={words.why}>
            <bdi>{visibleText(approval.reason)}</bdi>
          </Fact>
          <Fact name={words.lastDone}>
            {lastDone === undefined ? (
              words.neverDone
            ) : (
              <>
                <Time at={lastDone.at} view={view} />
                {lastDone.by !== undefined && (
                  <>
                    , {words.decidedBy} <bdi>{visibleText(lastDone.by)}</bdi>
                  </>
                )}
              </>
            )}
          </Fact>
          <Fact name={words.asked}>
            <Time at={approval.createdAt} view={view} />
          </Fact>
          <Fact name={approval.status === "expired" ? words.expired : words.expires}>
            <Time at={approval.expiresAt} view={view} />
          </Fact>
        </dl>
        <details>
          <summary id="more">{words.requestDetails}</summary>
          <dl class="facts">
            <Fact name={words.requestId}>
              <code>{visibleText(approval.id)}</code>
            </Fact>
            <Fact name={words.tenant}>
              <bdi>{visibleText(approval.tenant)}</bdi>
            </Fact>
            <Fact name={words.capability}>
              <code>{visibleText(approval.capId)}</code>
            </Fact>
            <Fact name={words.policy}>
              <code>{visibleText(approval.policyVersion)}</code>
            </Fact>
            <Fact name={words.fingerprint}>
              <code>{visibleText(approval.fingerprint)}</code>
            </Fact>
          </dl>
        </details>
      </section>
      <Decision view={view} approval={approval} isOwn={isOwn} />
    </>
  );
}

/** The arguments in the words of the router, and as JSON. */
export function Arguments({ view, lines, raw }: Pick<DetailProps, "view" | "lines" | "raw">): Markup {
  const { words } = view;
  return (
    <>
      {lines.length === 0 ? (
        <p class="lead">{words.noArguments}</p>
      ) : (
        <>
          <p class="hint">{words.argumentsLead}</p>
          <table class="arguments">
            <tbody>
              {lines.map(({ path, value }) => (
                <tr>
                  {path !== "" && (
                    <th scope="row" class="path">
                      <bdi>{path}</bdi>
                    </th>
                  )}
                  <td class="value" colspan={path === "" ? 2 : 1}>
                    <bdi>{value}</bdi>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      <details>
        <summary id="raw">{words.raw}</summary>
        {/* It scrolls: who has no mouse must be able to get to it. */}
        <section tabindex={0} aria-labelledby="raw" class="scroll">
          <pre>{raw}</pre>
        </section>
      </details>
    </>
  );
}

function Decision({ view, approval, isOwn }: Pick<DetailProps, "view" | "approval" | "isOwn">): Markup {
  const { words, account } = view;
  const { status, decidedAt, decidedBy, comment } = approval;
  const isOpen = status === "pending" && !isOwn;
  return (
    <section
      class="sheet"
      id="decision"
      aria-labelledby="decide"
      data-live
      data-keeps={isOpen || undefined}
      data-version={`${status} ${isOpen ? "" : minute(view)}`}
    >
      <h2 id="decide">{words.decision}</h2>
      {status !== "pending" ? (
        <>
          <p class="row">
            <Status status={status} words={words} />
            {decidedBy !== undefined && decidedAt !== undefined && (
              <span>
                {words.decidedBy} <bdi>{visibleText(decidedBy)}</bdi>, <Time at={decidedAt} view={view} />
              </span>
            )}
          </p>
          {comment && (
            <p>
              <bdi>{visibleText(comment)}</bdi>
            </p>
          )}
        </>
      ) : isOwn ? (
        <p class="lead">{words.ownRequest}</p>
      ) : (
        <form method="post" action={`/approvals/${approval.id}`}>
          <input type="hidden" name="key" value={account?.key} />
          <input type="hidden" name="fingerprint" value={approval.fingerprint} />
          <label for="comment">{words.comment}</label>
          <p class="hint" id="comment-hint">
            {words.commentHint}
          </p>
          <textarea id="comment" name="comment" maxlength={1000} rows={2} aria-describedby="comment-hint"></textarea>
          <div class="buttons">
            <button class="button go" type="submit" name="decision" value="approve" id="approve">
              {words.approve}
            </button>
            <button class="button stop" type="submit" name="decision" value="deny" id="deny">
              {words.deny}
            </button>
          </div>
        </form>
      )}
    </section>
  );
}

export function Fact({ name, children }: { name: string; children?: Child }): Markup {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
