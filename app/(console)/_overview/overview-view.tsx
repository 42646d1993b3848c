"use client";

import { Card, SimpleGrid, Skeleton, Stack, Title } from "@mantine/core";
import { IconCalendar, IconCircleCheck, IconClock, IconSend, IconWallet } from "@tabler/icons-react";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { QueryState } from "@/app/_ui/lists/query-state";
import { StatCard } from "@/app/_ui/stat-card";
import { formatCount } from "@/app/_ui/values/count";
import { formatMoney } from "@/app/_ui/values/money";
import type { Usage } from "@/server/accounts/schema";
import { CreditNotice } from "../_credit/credit-notice";
import { StatusByDay } from "../_usage/status-by-day";
import { formatShare } from "../_usage/status-share";
import { FirstSteps } from "./first-steps";
import { LatestMessages } from "./latest-messages";

const CHART_DAYS = 30;
const LATEST = 6;
const REFRESH_MS = 15_000;

export function OverviewView() {
  const live = { refetchInterval: REFRESH_MS };
  const series = trpc.accounts.usageSeries.useQuery({ days: CHART_DAYS }, live);
  const latest = trpc.messages.list.useQuery({ limit: LATEST }, live);
  const neverSent = latest.data?.pagination.total === 0;
  return (
    <>
      <PageHeader
        title="Overview"
        description="Your balance, recent messages and their delivery."
        actions={
          <LinkButton href="/send" leftSection={<IconSend size={16} aria-hidden />}>
            Send a message
          </LinkButton>
        }
      />
      <Stack gap="lg">
        <CreditNotice />
        <Figures />
        {neverSent && <FirstSteps />}
        {!neverSent && (
          <Card component="section" aria-labelledby="last-days">
            <Title order={2} size="h4" mb="md" id="last-days">
              Last {CHART_DAYS} days
            </Title>
            <QueryState query={series} loading={<Skeleton height={260} />}>
              {(days) => <StatusByDay days={days} />}
            </QueryState>
          </Card>
        )}
        {!neverSent && <LatestMessages query={latest} />}
      </Stack>
    </>
  );
}

const costOf = (usage: Usage | undefined) =>
  usage ? `${formatMoney(usage.totals.cost, usage.currency)} spent` : undefined;
const messagesOf = (usage: Usage | undefined) => usage && formatCount(usage.totals.messages);

function Figures() {
  const live = { refetchInterval: REFRESH_MS };
  const balance = trpc.accounts.balance.useQuery(undefined, live);
  const today = trpc.accounts.usage.useQuery({ period: "day" }, live);
  const month = trpc.accounts.usage.useQuery({ period: "month" }, live);
  const failed = [balance, today, month].find((query) => query.error && !query.data);
  if (failed) {
    return (
      <ErrorAlert error={failed.error} title="The figures could not be loaded" onRetry={() => void failed.refetch()} />
    );
  }
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: "sm", sm: "md" }}>
      <StatCard
        label="Balance"
        icon={IconWallet}
        value={balance.data && formatMoney(balance.data.balance, balance.data.currency)}
        hint="Available for sending"
      />
      <StatCard label="Messages today" icon={IconClock} value={messagesOf(today.data)} hint={costOf(today.data)} />
      <StatCard
        label="Messages this month"
        icon={IconCalendar}
        value={messagesOf(month.data)}
        hint={costOf(month.data)}
      />
      <StatCard
        label="Delivered this month"
        icon={IconCircleCheck}
        value={month.data && formatShare(month.data.by_status.delivered, month.data.totals.messages)}
        hint={month.data && `${formatCount(month.data.by_status.delivered)} confirmed by carriers`}
      />
    </SimpleGrid>
  );
}
