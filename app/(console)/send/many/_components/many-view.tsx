"use client";

import { Button, Card, Grid, Group, Skeleton, Stack } from "@mantine/core";
import { useMemo, useState } from "react";
import { sendManyTexts as texts } from "@/app/_texts/send/many";
import { trpc } from "@/app/_trpc/client";
import { isUnknown } from "@/app/_ui/changes/outcome";
import { DraftNote } from "@/app/_ui/drafts/draft-note";
import { useDraft } from "@/app/_ui/drafts/use-draft";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconChecks, IconId } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { QueryState } from "@/app/_ui/lists/query-state";
import { CreditNotice } from "../../../_credit/credit-notice";
import { useNumberList } from "../../../_numbers/use-number-list";
import { checkRows, ROWS_MAX, rowsOf } from "./batches";
import { CheckCard } from "./check-card";
import { ProgressCard } from "./progress-card";
import { RecipientsCard } from "./recipients-card";
import { type BulkDraft, TextCard } from "./text-card";
import { useCheck } from "./use-check";
import { useSendPlan } from "./use-send-plan";

const SENDERS_SHOWN = 100;

const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Sends one text, or one text per recipient, to a pasted or uploaded list. */
export function ManyView() {
  const senders = trpc.senders.list.useQuery({ status: "approved", limit: SENDERS_SHOWN });
  const account = trpc.accounts.get.useQuery();
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <LinkButton href="/send" variant="default">
            {texts.sendOne}
          </LinkButton>
        }
      />
      <Stack gap="lg">
        <CreditNotice />
        <QueryState query={senders} loading={<Skeleton height={480} radius="lg" />}>
          {({ items }) =>
            items.length === 0 ? (
              <Card>
                <EmptyState
                  icon={IconId}
                  title={texts.noSender.title}
                  action={<LinkButton href="/senders">{texts.noSender.senders}</LinkButton>}
                >
                  {texts.noSender.explanation}
                </EmptyState>
              </Card>
            ) : (
              <QueryState query={account} loading={<Skeleton height={480} radius="lg" />}>
                {({ id }) => <Compose accountId={id} senderIds={items.map((item) => item.sender_id)} />}
              </QueryState>
            )
          }
        </QueryState>
      </Stack>
    </>
  );
}

/** The draft of a send to many, kept until it is sent. */
type Kept = BulkDraft & { text: string };

function Compose({ accountId, senderIds }: { accountId: string; senderIds: string[] }) {
  const [text, setText] = useState("");
  const untouched = { from: senderIds[0] ?? "", body: "", smart: false };
  const [draft, setDraft] = useState<BulkDraft>(untouched);
  const isEntered = text !== "" || draft.body !== "";
  const [isRestored, setRestored] = useState(false);
  const sending = useSendPlan(accountId);
  useDraft<Kept>(
    "send to many",
    ({ text: keptText, ...kept }) => {
      setText(keptText);
      setDraft({ ...kept, from: senderIds.includes(kept.from) ? kept.from : draft.from });
      setRestored(true);
    },
    () => (isEntered && !sending.plan ? { text, ...draft } : null),
  );
  const { list, column, setColumn, readNumber } = useNumberList(text);
  const rows = useMemo(
    () => rowsOf({ ...list, records: list.records.slice(0, ROWS_MAX) }, column, readNumber),
    [list, column, readNumber],
  );
  const local = useMemo(() => checkRows(draft.body, rows), [draft.body, rows]);
  const { check, error, isChecking, run, reset } = useCheck(draft, local.ready);

  if (sending.plan) {
    const { plan } = sending;
    return (
      <ProgressCard
        plan={plan}
        error={sending.error}
        isSending={sending.isSending}
        isStopping={sending.isStopping}
        onContinue={() => void sending.run(plan)}
        onStop={sending.stop}
        onPutAway={() => {
          reset();
          // A single click must never send the text again to people who have, or may have, received it.
          if (plan.results.length > 0 || isUnknown(sending.error)) setText("");
          setRestored(false);
          sending.putAway();
        }}
      />
    );
  }
  const canCheck = rows.length > 0 && draft.body !== "" && list.records.length <= ROWS_MAX;
  return (
    <Stack gap="lg">
      <DraftNote
        draft={{
          isRestored,
          discard: () => {
            setText("");
            setDraft(untouched);
            setRestored(false);
          },
        }}
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <RecipientsCard text={text} onText={setText} list={list} column={column} onColumn={setColumn} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <TextCard
            draft={draft}
            onChange={(part) => setDraft({ ...draft, ...part })}
            senderIds={senderIds}
            columns={list.columns}
            first={rows[0]}
          />
        </Grid.Col>
      </Grid>
      <ErrorAlert error={error ?? sending.error} title={texts.checkFailed} />
      {check ? (
        <CheckCard
          check={check}
          problems={[...local.problems, ...check.problems].sort((a, b) => a.line - b.line)}
          onSend={() =>
            void sending.run({
              accountId,
              id: newId(),
              startedAt: Date.now(),
              rows: check.rows,
              results: [],
              ...draft,
            })
          }
        />
      ) : (
        <Group>
          <Button
            leftSection={<IconChecks size={16} aria-hidden />}
            disabled={!canCheck}
            loading={isChecking}
            onClick={() => void run()}
          >
            {texts.checkEveryLine}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
