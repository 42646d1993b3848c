"use client";

import { Anchor, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { breakdownsTexts as texts } from "@/app/_texts/overview/breakdowns";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { PageLink } from "@/app/_ui/frame/page-link";
import { QueryState } from "@/app/_ui/lists/query-state";
import { formatCount } from "@/app/_ui/values/count";
import { countryNameOrCode } from "@/app/_ui/values/country-name";
import { MESSAGE_STATUS_VIEWS, StatusName } from "@/app/_ui/values/message-status-badge";
import { formatShare } from "@/app/_ui/values/share";
import { Time } from "@/app/_ui/values/time";
import type { Breakdown, OverviewQuery, Totals } from "@/server/overview/schema";
import { ShareTable } from "./share-table";

const REFRESH_MS = 60_000;

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
      title={texts.byStatus.title}
      columns={[sharedTexts.status, texts.messages, texts.byStatus.share]}
      rows={rows.map(({ status, count }) => ({
        key: status,
        name: (
          <Anchor component={PageLink} href={`/messages?status=${status}`} underline="never" className="inline-block">
            <StatusName status={status} />
          </Anchor>
        ),
        count,
        note: formatShare(count, totals?.messages ?? 0),
      }))}
      empty={texts.noMessages}
    />
  );
}

const newest = ({ looked_at, is_complete }: Breakdown) =>
  is_complete || looked_at === 0 ? undefined : texts.ofNewest(looked_at, formatCount(looked_at));

const noneOf = ({ is_complete }: Breakdown) => (is_complete ? texts.noMessages : texts.noneLeft);

function ByCountry({ breakdown }: { breakdown: Breakdown }) {
  return (
    <ShareTable
      id="by-country"
      title={texts.byCountry.title}
      columns={[texts.byCountry.country, texts.messages, texts.delivered]}
      rows={breakdown.by_country.map(({ country, messages, delivered }) => ({
        key: country ?? "",
        name: <Text size="sm">{country === null ? texts.byCountry.unknown : countryNameOrCode(country)}</Text>,
        count: messages,
        note: formatShare(delivered, messages),
      }))}
      empty={noneOf(breakdown)}
      hint={newest(breakdown)}
    />
  );
}

function BySender({ breakdown }: { breakdown: Breakdown }) {
  return (
    <ShareTable
      id="by-sender"
      title={texts.bySender.title}
      columns={[texts.bySender.sender, texts.messages, texts.delivered]}
      rows={breakdown.by_sender.map(({ sender, messages, delivered }) => ({
        key: sender,
        name: <Text size="sm">{sender}</Text>,
        count: messages,
        note: formatShare(delivered, messages),
      }))}
      empty={noneOf(breakdown)}
      hint={newest(breakdown)}
    />
  );
}

function Errors({ breakdown: { errors, errors_are_complete } }: { breakdown: Breakdown }) {
  return (
    <ShareTable
      id="top-errors"
      title={texts.errors.title}
      columns={[texts.errors.reason, texts.messages]}
      rows={errors.map(({ code, message, messages, last_at }) => ({
        key: code,
        name: (
          <>
            <Text size="sm" lineClamp={2} className="break-word">
              {message || texts.errors.noReason}
            </Text>
            <Text size="xs" c="dimmed" component="div">
              {texts.errors.codeAndLast(<span className="mono break-word">{code}</span>, <Time value={last_at} />)}
            </Text>
          </>
        ),
        count: messages,
      }))}
      empty={errors_are_complete ? texts.errors.none : texts.errors.noneLeft}
      hint={errors_are_complete || errors.length === 0 ? undefined : texts.errors.ofNewest}
    />
  );
}
