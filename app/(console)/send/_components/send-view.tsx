"use client";

import { Card, Skeleton, Stack } from "@mantine/core";
import { IconId } from "@tabler/icons-react";
import { trpc } from "@/app/_trpc/client";
import { EmptyState } from "@/app/_ui/empty-state";
import { LinkButton } from "@/app/_ui/link-button";
import { PageHeader } from "@/app/_ui/page-header";
import { QueryState } from "@/app/_ui/query-state";
import { SendForm } from "./send-form";

const APPROVAL_POLL_MS = 3_000;
/** The largest page that the API gives. */
const SENDERS_SHOWN = 100;

/**
 * Send one message. Needs an approved sender; without one it says how to get there and waits for it. `sandbox`: this
 * installation has the built-in carrier.
 */
export function SendView({ sandbox }: { sandbox: boolean }) {
  const senders = trpc.senders.list.useQuery(
    { status: "approved", limit: SENDERS_SHOWN },
    { refetchInterval: (query) => (query.state.data?.items.length === 0 ? APPROVAL_POLL_MS : false) },
  );
  return (
    <>
      <PageHeader
        title="Send a message"
        description="One text to one recipient. You see what it costs before it goes."
      />
      <QueryState query={senders} loading={<FormSkeleton />}>
        {({ items }) =>
          items.length > 0 ? (
            <SendForm senderIds={items.map((sender) => sender.sender_id)} sandbox={sandbox} />
          ) : (
            <NoSender />
          )
        }
      </QueryState>
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
        title={waiting ? "Your sender is waiting for approval" : "Register a sender first"}
        action={<LinkButton href="/senders">{waiting ? "View senders" : "Go to senders"}</LinkButton>}
      >
        {waiting
          ? "As soon as it is approved, this page lets you send with it."
          : "A sender ID is what recipients see as the origin of your messages. You need an approved one to send."}
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
