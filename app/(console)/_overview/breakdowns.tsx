"use client";

import { Anchor, SimpleGrid, Skeleton, Text } from "@mantine/core";
import Link from "next/link";
import { trpc } from "@/app/_trpc/client";
import { QueryState } from "@/app/_ui/lists/query-state";
import { formatCount } from "@/app/_ui/values/count";
import { MESSAGE_STATUS_VIEWS, MessageStatusBadge } from "@/app/_ui/values/message-status-badge";
import { formatShare } from "@/app/_ui/values/share";
import { Time } from "@/app/_ui/values/time";
import type { Breakdown, OverviewQuery, Totals } from "@/server/overview/schema";
import { ShareTable } from "./share-table";

const REFRESH_MS = 60_000;
const NONE = "No messages in this period.";

const regions = new Intl.DisplayNames("en", { type: "region" });

/** The messages of a period by status, country and sender, and the most frequent reasons of failures. */
export function Breakdowns({ days, totals }: { days: OverviewQuery["days"]; totals: Totals | undefined }) {
  const breakdown = trpc.overview.breakdown.useQuery({ days }, { refetchInterval: REFRESH_MS });
  return (
    <QueryState query={breakdown} loading={<Skeleton height={320} radius="lg" />}>
      {(data) => (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <ByStatus totals={totals} />
          <Errors breakdown={data} />
          <ByCountry breakdown={data} />
          <BySender breakdown={data} />
        </SimpleGrid>
      )}
    </QueryState>
  );
}

function ByStatus({ totals }: { totals: Totals | undefined }) {
  const rows = totals ? MESSAGE_STATUS_VIEWS.map(({ status }) => ({ status, count: totals[status] })) : [];
  return (
    <ShareTable
      id="by-status"
      title="By status"
      columns={["Status", "Messages", "Share"]}
      rows={rows.map(({ status, count }) => ({
        key: status,
        name: (
          <Anchor component={Link} href={`/messages?status=${status}`} underline="never" className="inline-block">
            <MessageStatusBadge status={status} />
          </Anchor>
        ),
        count,
        note: formatShare(count, totals?.messages ?? 0),
      }))}
      empty={NONE}
    />
  );
}

const newest = ({ looked_at, is_complete }: Breakdown) =>
  is_complete ? undefined : `Of the newest ${formatCount(looked_at)} messages`;

function ByCountry({ breakdown }: { breakdown: Breakdown }) {
  return (
    <ShareTable
      id="by-country"
      title="By country"
      columns={["Country", "Messages", "Delivered"]}
      rows={breakdown.by_country.map(({ country, messages, delivered }) => ({
        key: country ?? "",
        name: <Text size="sm">{country === null ? "Unknown country" : regions.of(country)}</Text>,
        count: messages,
        note: formatShare(delivered, messages),
      }))}
      empty={NONE}
      hint={newest(breakdown)}
    />
  );
}

function BySender({ breakdown }: { breakdown: Breakdown }) {
  return (
    <ShareTable
      id="by-sender"
      title="By sender"
      columns={["Sender", "Messages", "Delivered"]}
      rows={breakdown.by_sender.map(({ sender, messages, delivered }) => ({
        key: sender,
        name: <Text size="sm">{sender}</Text>,
        count: messages,
        note: formatShare(delivered, messages),
      }))}
      empty={NONE}
      hint={newest(breakdown)}
    />
  );
}

function Errors({ breakdown: { errors, errors_are_complete } }: { breakdown: Breakdown }) {
  return (
    <ShareTable
      id="top-errors"
      title="Why messages failed"
      columns={["Reason", "Messages"]}
      rows={errors.map(({ code, message, messages, last_at }) => ({
        key: code,
        name: (
          <>
            <Text size="sm" lineClamp={2} className="break-word">
              {message || "No reason given"}
            </Text>
            <Text size="xs" c="dimmed" component="div">
              <span className="mono break-word">{code}</span>, last <Time value={last_at} />
            </Text>
          </>
        ),
        count: messages,
      }))}
      empty="No message failed in this period."
      hint={errors_are_complete ? undefined : "Of the newest failures"}
    />
  );
}
