"use client";

import { Card, Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { apiKeyTexts as texts } from "@/app/_texts/api-keys/key";
import { trpc } from "@/app/_trpc/client";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { QueryState } from "@/app/_ui/lists/query-state";
import { useUrlState } from "@/app/_ui/lists/use-url-state";
import { formatCount } from "@/app/_ui/values/count";
import { formatMoney } from "@/app/_ui/values/money";
import { formatShare } from "@/app/_ui/values/share";
import type { ApiKey } from "@/server/api-keys/schema";
import type { KeyUsage } from "@/server/overview/schema";
import { FIRST_PERIOD, PERIODS } from "../../../_overview/period";
import { StatusByDay } from "../../../_usage/status-by-day";
import { sumOf } from "../../../usage/range";

/** Messages that were sent with a key, in the period that the address names. */
export function KeyUsageCard({ apiKey }: { apiKey: ApiKey }) {
  const { params, change } = useUrlState();
  const { days } = PERIODS.find((period) => String(period.days) === params.get("days")) ?? FIRST_PERIOD;
  const usage = trpc.overview.keyUsage.useQuery({ id: apiKey.id, days }, { placeholderData: keepPreviousData });
  return (
    <Card component="section" aria-labelledby="key-usage" h="100%">
      <Group justify="space-between" gap="sm" mb="md">
        <Title order={2} size="h4" id="key-usage">
          {texts.usage.title}
        </Title>
        <SegmentedControl
          aria-label={texts.usage.period}
          size="xs"
          value={String(days)}
          onChange={(value) => change({ days: value === String(FIRST_PERIOD.days) ? undefined : value })}
          data={PERIODS.map((period) => ({ value: String(period.days), label: period.label }))}
        />
      </Group>
      <QueryState query={usage} loading={<Skeleton height={320} radius="md" />}>
        {(data) => <Usage apiKey={apiKey} usage={data} />}
      </QueryState>
      <Group mt="md">
        <LinkButton href={`/messages?key=${apiKey.id}`} variant="default" size="sm">
          {texts.usage.viewMessages}
        </LinkButton>
      </Group>
    </Card>
  );
}

function Usage({ apiKey, usage }: { apiKey: ApiKey; usage: KeyUsage }) {
  const { series, currency } = usage;
  const { totals, by_status: byStatus } = sumOf(series);
  const figures = [
    [texts.usage.messages, formatCount(totals.messages)],
    [texts.usage.cost, formatMoney(totals.cost, currency)],
    [texts.usage.delivered, formatShare(byStatus.delivered, totals.messages)],
    [texts.usage.failed, formatShare(byStatus.failed + byStatus.undelivered, totals.messages)],
  ];
  return (
    <Stack gap="md">
      <SimpleGrid component="dl" m={0} cols={{ base: 2, sm: 4 }} spacing="md">
        {figures.map(([label, value]) => (
          <div key={label}>
            <Text component="dt" size="xs" c="dimmed" fw={500}>
              {label}
            </Text>
            <Text component="dd" m={0} fz={20} fw={650} className="tabular">
              {value}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      <Quotas apiKey={apiKey} usage={usage} />
      {totals.messages === 0 ? (
        <Text size="sm" c="dimmed">
          {usage.is_complete ? texts.usage.noMessages : texts.usage.noneLeft}
        </Text>
      ) : (
        series.length > 1 && <StatusByDay days={series} />
      )}
      {!usage.is_complete && totals.messages > 0 && (
        <Text size="sm" c="dimmed">
          {texts.usage.isPartial(formatCount(usage.looked_at))}
        </Text>
      )}
    </Stack>
  );
}

/** Messages that count against the key's limits, today and this month. */
function Quotas({ apiKey, usage }: { apiKey: ApiKey; usage: KeyUsage }) {
  const quotas = [
    typeof apiKey.daily_limit === "number" &&
      texts.usage.usedToday(formatCount(usage.used_today ?? 0), formatCount(apiKey.daily_limit)),
    typeof apiKey.monthly_limit === "number" &&
      texts.usage.usedThisMonth(formatCount(usage.used_this_month ?? 0), formatCount(apiKey.monthly_limit)),
  ].filter((quota) => quota !== false);
  if (quotas.length === 0) return null;
  return (
    <Text size="sm" className="tabular">
      {texts.usage.used(quotas)}
    </Text>
  );
}
