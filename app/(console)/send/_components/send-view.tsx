"use client";

import { Card, Skeleton, Stack } from "@mantine/core";
import { useSearchParams } from "next/navigation";
import { sendTexts as texts } from "@/app/_texts/send/one";
import { trpc } from "@/app/_trpc/client";
import { useTestMode } from "@/app/_trpc/test-mode";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconId } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { QueryState } from "@/app/_ui/lists/query-state";
import { isE164 } from "@/server/messages/phone";
import type { MessageDetail } from "@/server/messages/schema";
import { CreditNotice } from "../../_credit/credit-notice";
import { type MessageContent, SendForm } from "./send-form";

/** The parameter that names the message to copy, whose text does not belong in an address. */
const SEND_AGAIN = "again";
/** The parameters with the numbers of a reply. */
const [REPLY_TO, REPLY_FROM] = ["to", "from"];
const APPROVAL_POLL_MS = 3_000;
/** The largest page size of the API. */
const SENDERS_SHOWN = 100;

const NOT_READY = { data: undefined, error: null, refetch: () => undefined };

const contentOf = ({ message: { from, to, body }, reference }: MessageDetail): MessageContent => ({
  from,
  to,
  body,
  reference: reference ?? "",
});

/** The fields that a link to the form fills in: a recipient, and the sender ID that it wrote to. */
function replyOf(params: URLSearchParams): MessageContent | undefined {
  const to = params.get(REPLY_TO) ?? "";
  return isE164(to) ? { from: params.get(REPLY_FROM) ?? "", to, body: "", reference: "" } : undefined;
}

/**
 * Sends one message; `?again=<id>` begins with a copy of an earlier one, `?to=<number>&from=<sender ID>` with a recipient.
 * Without an approved sender it links to the senders and polls until one is approved.
 * `sandbox`: live messages may take the built-in sandbox.
 */
export function SendView({ sandbox }: { sandbox: boolean }) {
  const isTestMode = useTestMode();
  const params = useSearchParams();
  const again = params.get(SEND_AGAIN);
  const reply = again === null ? replyOf(params) : undefined;
  const original = trpc.messages.detail.useQuery({ id: again ?? "" }, { enabled: again !== null });
  // A message that cannot be read leaves the form empty.
  const isReady = again === null || original.data !== undefined || original.error !== null;
  const senders = trpc.senders.list.useQuery(
    { status: "approved", limit: SENDERS_SHOWN },
    { refetchInterval: (query) => (query.state.data?.items.length === 0 ? APPROVAL_POLL_MS : false) },
  );
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <LinkButton href="/send/many" variant="default">
            {texts.sendToMany}
          </LinkButton>
        }
      />
      <Stack gap="lg">
        <CreditNotice />
        <QueryState query={isReady ? senders : NOT_READY} loading={<FormSkeleton />}>
          {({ items }) =>
            items.length > 0 ? (
              <SendForm
                key={again ?? reply?.to}
                senderIds={items.map((sender) => sender.sender_id)}
                sandbox={sandbox || isTestMode}
                draftName={["send", again ?? reply?.to].filter(Boolean).join(" ")}
                original={original.data ? contentOf(original.data) : reply}
              />
            ) : (
              <NoSender />
            )
          }
        </QueryState>
      </Stack>
    </>
  );
}

function NoSender() {
  const pending = trpc.senders.list.useQuery({ status: "pending", limit: 1 }, { refetchInterval: APPROVAL_POLL_MS });
  const waiting = (pending.data?.items.length ?? 0) > 0;
  return (
    <Card>
      <EmptyState
        icon={IconId}
        title={waiting ? texts.senderPending.title : texts.noSender.title}
        action={<LinkButton href="/senders">{waiting ? texts.senderPending.view : texts.noSender.register}</LinkButton>}
      >
        {waiting ? texts.senderPending.explanation : texts.noSender.explanation}
      </EmptyState>
    </Card>
  );
}

function FormSkeleton() {
  return (
    <Card>
      <Stack>
        <Skeleton height={56} />
        <Skeleton height={56} />
        <Skeleton height={150} />
        <Skeleton height={36} width={140} />
      </Stack>
    </Card>
  );
}
