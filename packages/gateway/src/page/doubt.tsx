import { visibleText } from "@toolglot/internal";
import type { NameTool } from "../report/tool-names.ts";
import { Arguments, Fact } from "./detail.tsx";
import { Note, type View } from "./layout.tsx";
import type { Markup } from "./markup.ts";
import type { ArgumentLine, Doubt, DoubtCall } from "./rendered.ts";
import { Time } from "./times.tsx";
import { ToolName } from "./tool-name.tsx";
import { doubtId } from "./view-data.ts";

interface DoubtProps {
  view: View;
  doubt: Doubt;
  call: DoubtCall | undefined;
  lines: ArgumentLine[];
  raw: string;
  toolOf: NameTool;
}

/** A call in doubt, and the three answers. */
export function DoubtDetail({ view, doubt, call, lines, raw, toolOf }: DoubtProps): Markup {
  const { words, account } = view;
  return (
    <>
      <a class="back" href="/approvals/in-doubt">
        ← {words.back}
      </a>
      <div class="head">
        <h1>{call ? <ToolName tool={toolOf(call.capId)} capId={call.capId} /> : visibleText(doubt.key)}</h1>
        <span class="badge HIGH">{words.inDoubt}</span>
      </div>
      <Note kind="warn">{words.doubtLead}</Note>
      <section class="sheet" aria-labelledby="arguments">
        <h2 id="arguments">{words.arguments}</h2>
        <Arguments view={{ ...view, words: { ...words, argumentsLead: "" } }} lines={lines} raw={raw} />
      </section>
      <section class="sheet" aria-label={words.inDoubt}>
        <dl class="facts">
          {call && (
            <Fact name={words.requestedBy}>
              <bdi>{visibleText(call.requester)}</bdi>
            </Fact>
          )}
          <Fact name={words.started}>
            <Time at={doubt.startedAt ?? doubt.claimedAt} view={view} />
          </Fact>
          <Fact name={words.reason}>
            <bdi>{visibleText(doubt.reason ?? "")}</bdi>
          </Fact>
        </dl>
      </section>
      <section class="sheet" aria-labelledby="settle">
        <h2 id="settle">{words.whatHappened}</h2>
        <form method="post" action={`/approvals/in-doubt/${doubtId(doubt)}`}>
          <input type="hidden" name="key" value={account?.key} />
          <input type="hidden" name="seen" value={seenOf(doubt)} />
          <div class="choices">
            <button class="button quiet" type="submit" name="answer" value="happened" aria-describedby="happened-hint">
              {words.happened}
            </button>
            <p class="hint" id="happened-hint">
              {words.happenedHint}
            </p>
            <button class="button quiet" type="submit" name="answer" value="not-happened" aria-describedby="not-hint">
              {words.notHappened}
            </button>
            <p class="hint" id="not-hint">
              {words.notHappenedHint}
            </p>
            <a class="button quiet" href="/approvals/in-doubt">
              {words.leave}
            </a>
          </div>
        </form>
      </section>
    </>
  );
}

/** What a form about an operation says that its reader has seen. */
export function seenOf({ fence, fingerprint }: Doubt): string {
  return `${fence} ${fingerprint}`;
}
