"use client";

import { Anchor, Card, Group, Title } from "@mantine/core";
import { useRouter } from "next/navigation";
import type { ComponentProps } from "react";
import { overviewTexts as texts } from "@/app/_texts/overview/page";
import { sharedTexts } from "@/app/_texts/shared";
import { PageLink } from "@/app/_ui/frame/page-link";
import { IconMessages } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { RowLink } from "@/app/_ui/lists/row-link";
import { MessageStatusBadge } from "@/app/_ui/values/message-status-badge";
import { Money } from "@/app/_ui/values/money";
import { Time } from "@/app/_ui/values/time";
import type { Message } from "@/server/messages/schema";

const columns = (): Column<Message>[] => [
  {
    key: "to",
    header: texts.latest.to,
    render: ({ id, to, created_at }) => (
      <>
        <RowLink href={`/messages/${id}`}>{to}</RowLink>
        <div className="small dimmed mantine-hidden-from-xs">
          <Time value={created_at} />
        </div>
      </>
    ),
  },
  {
    key: "status",
    header: sharedTexts.status,
    render: (message) => <MessageStatusBadge message={message} />,
  },
  {
    key: "body",
    header: texts.latest.text,
    visibleFrom: "md",
    isWide: true,
    render: ({ body }) => (
      <span className="dimmed" dir="auto">
        {body || texts.latest.deletedText}
      </span>
    ),
  },
  {
    key: "cost",
    header: texts.latest.cost,
    align: "right",
    visibleFrom: "sm",
    render: ({ cost, currency }) => <Money amount={cost} currency={currency} />,
  },
  {
    key: "created",
    header: sharedTexts.created,
    align: "right",
    visibleFrom: "xs",
    render: ({ created_at }) => <Time value={created_at} />,
  },
];

type LatestQuery = ComponentProps<typeof QueryState<{ items: Message[] }>>["query"];

/** The newest messages, each with a link to its details. */
export function LatestMessages({ query }: { query: LatestQuery }) {
  const router = useRouter();
  return (
    <Card component="section" aria-labelledby="latest" padding={0}>
      <Group justify="space-between" p="lg" pb="sm">
        <Title order={2} size="h4" id="latest">
          {texts.latest.title}
        </Title>
        <Anchor component={PageLink} href="/messages" size="sm">
          {texts.latest.all}
        </Anchor>
      </Group>
      <QueryState query={query}>
        {({ items }) => (
          <PagedTable
            label={texts.latest.title}
            columns={columns()}
            rows={items}
            rowKey={({ id }) => id}
            onRowClick={({ id }) => router.push(`/messages/${id}`)}
            empty={<EmptyState icon={IconMessages} title={texts.latest.none} />}
          />
        )}
      </QueryState>
    </Card>
  );
}
