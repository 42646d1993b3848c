"use client";

import { Card, SegmentedControl, SimpleGrid, Skeleton, Stack, Title } from "@mantine/core";
import { IfMayChange } from "@/app/_shell/may-change";
import { overviewTexts as texts } from "@/app/_texts/overview/page";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconCircleCheck, IconCircleX, IconMessages, IconSend, IconWallet } from "@/app/_ui/icons/icons";
import { QueryState } from "@/app/_ui/lists/query-state";
import { useUrlState } from "@/app/_ui/lists/use-url-state";
import { StatCard } from "@/app/_ui/stat-card";
import { formatCount } from "@/app/_ui/values/count";
import { formatMoney } from "@/app/_ui/values/money";
import { formatShare } from "@/app/_ui/values/share";
import type { Comparison, Totals } from "@/server/overview/schema";
import { CreditNotice } from "../_credit/credit-notice";
import { StatusByDay } from "../_usage/status-by-day";
import { Breakdowns } from "./breakdowns";
import { ConcernList } from "./concern-list";
import { FirstSteps } from "./first-steps";
import { LatestMessages } from "./latest-messages";
import { describeChange, describeShift, FIRST_PERIOD, PERIODS, shareOf } from "./period";

const LATEST = 6;
const REFRESH_MS = 15_000;
/** A chart of one day shows nothing. */
const CHART_DAYS_MIN = 7;

const live = { refetchInterval: REFRESH_MS };

export function OverviewView() {
  const { params, change } = useUrlState();
  const { days, before } = PERIODS.find((period) => String(period.days) === params.get("days")) ?? FIRST_PERIOD;
  const all = trpc.accounts.usage.useQuery({ period: "all" }, live);
  const comparison = trpc.overview.comparison.useQuery({ days }, live);
  const latest = trpc.messages.list.useQuery({ limit: LATEST }, live);
  // The usual page is shown until this is known: parts that appear later would move what is being read.
  const hasSent = all.data?.totals.messages !== 0;
  const isNew = all.data?.by_status.delivered === 0;
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <>
            {hasSent && (
              <SegmentedControl
                aria-label={texts.period}
                value={String(days)}
                onChange={(value) => change({ days: value === String(FIRST_PERIOD.days) ? undefined : value })}
                data={PERIODS.map((period) => ({ value: String(period.days), label: period.label }))}
              />
            )}
            <IfMayChange>
              <LinkButton href="/send" leftSection={<IconSend size={16} aria-hidden />}>
                {texts.sendMessage}
              </LinkButton>
            </IfMayChange>
          </>
        }
      />
      <Stack gap="lg">
        <CreditNotice />
        {hasSent && <ConcernList />}
        <Figures comparison={comparison} before={before} />
        <IfMayChange>{isNew && <FirstSteps hasSent={hasSent} />}</IfMayChange>
        {hasSent && (
          <>
            <DaysChart days={Math.max(days, CHART_DAYS_MIN)} />
            <Breakdowns days={days} totals={comparison.data?.current} />
            <LatestMessages query={latest} />
          </>
        )}
      </Stack>
    </>
  );
}

function DaysChart({ days }: { days: number }) {
  const series = trpc.accounts.usageSeries.useQuery({ days }, live);
  return (
    <Card component="section" aria-labelledby="last-days">
      <Title order={2} size="h4" mb="md" id="last-days">
        {texts.lastDays(days)}
      </Title>
      <QueryState query={series} loading={<Skeleton height={292} />}>
        {(data) => <StatusByDay days={data} />}
      </QueryState>
    </Card>
  );
}

const failedOf = ({ failed, undelivered }: Totals) => failed + undelivered;
const arrivedShare = ({ delivered, messages }: Totals) => shareOf(delivered, messages);

function Figures({
  comparison: { data, error, refetch },
  before,
}: {
  comparison: { data: Comparison | undefined; error: unknown; refetch: () => unknown };
  before: string;
}) {
  const balance = trpc.accounts.balance.useQuery(undefined, live);
  if (error && !data) {
    return <ErrorAlert error={error} title={texts.figures.notLoaded} onRetry={() => void refetch()} />;
  }
  const { current, previous } = data ?? {};
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: "sm", sm: "md" }}>
      <StatCard
        label={texts.figures.balance}
        icon={IconWallet}
        value={balance.data && formatMoney(balance.data.balance, balance.data.currency)}
        hint={data && current && texts.figures.spent(formatMoney(current.cost, data.currency))}
      />
      <StatCard
        label={texts.figures.messages}
        icon={IconMessages}
        value={current && formatCount(current.messages)}
        hint={current && previous && describeChange(current.messages, previous.messages, before)}
      />
      <StatCard
        label={texts.figures.delivered}
        icon={IconCircleCheck}
        value={current && formatShare(current.delivered, current.messages)}
        hint={current && previous && describeShift(arrivedShare(current), arrivedShare(previous), before)}
      />
      <StatCard
        label={texts.figures.failed}
        icon={IconCircleX}
        value={current && formatCount(failedOf(current))}
        hint={current && previous && describeChange(failedOf(current), failedOf(previous), before)}
      />
    </SimpleGrid>
  );
}
