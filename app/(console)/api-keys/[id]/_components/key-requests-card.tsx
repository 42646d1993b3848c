"use client";

import { Card, Group, Text, Title } from "@mantine/core";
import { useRouter } from "next/navigation";
import { apiKeyTexts as texts } from "@/app/_texts/api-keys/key";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { RowLink } from "@/app/_ui/lists/row-link";
import { formatCount } from "@/app/_ui/values/count";
import { Time } from "@/app/_ui/values/time";
import type { LoggedRequest } from "@/server/request-log/schema";
import { HttpStatus } from "../../../requests/http-status";

const SHOWN = 5;

const columns = (): ReadonlyArray<Column<LoggedRequest>> => [
  {
    key: "request",
    header: texts.requests.request,
    render: (request) => (
      <RowLink href={hrefOf(request)} wraps>
        <Text span size="sm" className="mono">
          {request.method} {request.path}
        </Text>
      </RowLink>
    ),
  },
  { key: "status", header: sharedTexts.status, render: ({ status }) => <HttpStatus status={status} /> },
  {
    key: "latency",
    header: texts.requests.latency,
    align: "right",
    visibleFrom: "sm",
    render: ({ latency_ms: ms }) => (
      <span className="tabular nowrap">{texts.requests.milliseconds(formatCount(ms))}</span>
    ),
  },
  {
    key: "address",
    header: texts.requests.address,
    visibleFrom: "md",
    render: ({ address }) => <span className="tabular break-word">{address ?? "–"}</span>,
  },
  {
    key: "when",
    header: texts.requests.when,
    align: "right",
    visibleFrom: "xs",
    render: (row) => <Time value={row.created_at} />,
  },
];

const hrefOf = ({ id, key_id: keyId }: LoggedRequest) => `/requests?key=${keyId}&open=${id}`;

/** The newest requests with a key. */
export function KeyRequestsCard({ keyId }: { keyId: string }) {
  const router = useRouter();
  const requests = trpc.requestLog.list.useQuery({ key_id: keyId, limit: SHOWN });
  return (
    <Card component="section" aria-labelledby="key-requests" padding={0} mt="lg">
      <Group justify="space-between" gap="sm" p="lg" pb="md">
        <Title order={2} size="h4" id="key-requests">
          {texts.requests.title}
        </Title>
        <LinkButton href={`/requests?key=${keyId}`} variant="default" size="sm">
          {texts.requests.viewAll}
        </LinkButton>
      </Group>
      <QueryState query={requests}>
        {({ items, mode }) => (
          <PagedTable
            label={texts.requests.title}
            columns={columns()}
            rows={items}
            rowKey={({ id }) => id}
            onRowClick={(request) => router.push(hrefOf(request))}
            empty={
              <Text size="sm" c="dimmed" px="lg" pb="lg">
                {texts.requests.none[mode]}
              </Text>
            }
          />
        )}
      </QueryState>
    </Card>
  );
}
