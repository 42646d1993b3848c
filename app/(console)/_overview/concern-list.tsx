"use client";

import { Anchor, Card, Group, Skeleton, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { concernsTexts as texts } from "@/app/_texts/overview/concerns";
import { trpc } from "@/app/_trpc/client";
import { PageLink } from "@/app/_ui/frame/page-link";
import { SiteLink } from "@/app/_ui/frame/site-link";
import { IconAlertTriangle, IconCircleCheck } from "@/app/_ui/icons/icons";
import { QueryState } from "@/app/_ui/lists/query-state";
import { formatCount } from "@/app/_ui/values/count";
import { countryNameOrCode } from "@/app/_ui/values/country-name";
import { formatMoney } from "@/app/_ui/values/money";
import { formatShare } from "@/app/_ui/values/share";
import { shortUrl } from "@/app/_ui/values/short-url";
import { Time } from "@/app/_ui/values/time";
import type { Concern } from "@/server/overview/schema";

const REFRESH_MS = 30_000;

type View = { key: string; title: string; text?: ReactNode; href: string; action: string; also?: Link };
type Link = { href: string; action: string };

const endpointLink = (id: string) => ({ href: `/webhooks/${id}`, action: texts.openEndpoint });

function lastsFor(money: string, days: number): string {
  if (days === 0) return texts.balanceLow.usedUp;
  return days < 1 ? texts.balanceLow.lastsLessThanDay(money) : texts.balanceLow.lastsDays(money, Math.floor(days));
}

const failedOf = (failed: string, ended: string, usual: number | null) =>
  usual === null
    ? texts.failing.share(failed, ended)
    : texts.failing.shareAndUsual(failed, ended, formatShare(usual, 1));

function viewOf(concern: Concern): View {
  switch (concern.kind) {
    case "account_suspended":
      return {
        key: concern.kind,
        title: texts.suspended.title,
        text: texts.suspended.text,
        href: "/settings/audit",
        action: texts.suspended.action,
      };
    case "balance_low":
      return {
        key: concern.kind,
        title: concern.days_left === 0 ? texts.balanceLow.usedUpTitle : texts.balanceLow.title,
        text: lastsFor(formatMoney(concern.balance, concern.currency), concern.days_left),
        href: "/usage",
        action: texts.balanceLow.action,
      };
    case "unusual_traffic":
      return {
        key: `traffic ${concern.country}`,
        title: texts.unusualTraffic.title(
          concern.country === null ? texts.unusualTraffic.unknownCountry : countryNameOrCode(concern.country),
        ),
        text: texts.unusualTraffic.text(formatCount(concern.messages), formatCount(concern.highest_before), (words) => (
          <Anchor component={SiteLink} href="/docs/sending#sms-pumping" underline="always" inherit>
            {words}
          </Anchor>
        )),
        href: concern.country === null ? "/settings/sending" : `/settings/sending?without=${concern.country}`,
        action: texts.unusualTraffic.action,
        also: {
          href: concern.number_prefix ? `/messages?to=${encodeURIComponent(concern.number_prefix)}` : "/messages",
          action: texts.unusualTraffic.messages,
        },
      };
    case "messages_failing":
      return {
        key: concern.kind,
        title: texts.failing.title,
        text: failedOf(formatCount(concern.failed), formatCount(concern.ended), concern.usual_share),
        href: "/messages?status=failed",
        action: texts.failing.action,
      };
    case "messages_waiting":
      return {
        key: concern.kind,
        title: texts.waiting.title,
        text: texts.waiting.oldest(<Time value={concern.since} />),
        href: "/messages?status=pending",
        action: texts.waiting.action,
      };
    case "endpoint_disabled":
      return {
        key: concern.id,
        title: texts.endpointDisabled.title,
        text: texts.endpointDisabled.text(shortUrl(concern.url)),
        ...endpointLink(concern.id),
      };
    case "endpoint_paused":
      return {
        key: concern.id,
        title: texts.endpointPaused.title,
        text: texts.endpointPaused.text(shortUrl(concern.url), <Time value={concern.since} />),
        ...endpointLink(concern.id),
      };
    case "endpoint_failing":
      return {
        key: concern.id,
        title: texts.endpointFailing.title,
        text: texts.endpointFailing.text(shortUrl(concern.url), concern.failures, formatCount(concern.failures)),
        ...endpointLink(concern.id),
      };
    case "sender_rejected":
      return {
        key: `sender ${concern.sender}`,
        title: texts.senderRejected.title(concern.sender),
        text: concern.reason ?? texts.senderRejected.noReason,
        href: "/senders",
        action: texts.senderRejected.action,
      };
    case "key_expiring":
      return {
        key: concern.id,
        title: texts.keyExpiring.title(concern.name),
        text: texts.keyExpiring.text(<Time value={concern.expires_at} />),
        href: `/api-keys/${concern.id}`,
        action: texts.keyExpiring.action,
      };
  }
}

/** Whether anything is wrong, and what to do about it. */
export function ConcernList() {
  const concerns = trpc.overview.concerns.useQuery(undefined, { refetchInterval: REFRESH_MS });
  return (
    <Card component="section" aria-labelledby="concerns" py={{ base: "md", sm: "lg" }}>
      <QueryState query={concerns} loading={<Skeleton height={32} width="60%" />}>
        {(found) => (found.length === 0 ? <AllWell /> : <Found concerns={found} />)}
      </QueryState>
    </Card>
  );
}

function AllWell() {
  return (
    <Group gap="sm" wrap="nowrap">
      <ThemeIcon size={32} radius="xl" variant="light" color="teal" aria-hidden>
        <IconCircleCheck size={20} />
      </ThemeIcon>
      <Title order={2} size="h5" id="concerns">
        {texts.none}
      </Title>
    </Group>
  );
}

function Found({ concerns }: { concerns: Concern[] }) {
  return (
    <>
      <Title order={2} size="h4" id="concerns" mb="md">
        {texts.title}
      </Title>
      <Stack component="ul" gap="md" className="plain-list">
        {concerns.map(viewOf).map(({ key, title, text, href, action, also }) => (
          <Group component="li" key={key} gap="sm" wrap="nowrap" align="flex-start">
            <ThemeIcon size={32} radius="xl" variant="light" color="yellow" c="var(--mantine-color-text)" aria-hidden>
              <IconAlertTriangle size={18} />
            </ThemeIcon>
            <Group flex={1} justify="space-between" gap="xs" miw={0}>
              <div className="step-text">
                <Text size="sm" fw={600}>
                  {title}
                </Text>
                {text && (
                  <Text size="sm" c="dimmed" component="div" className="break-word">
                    {text}
                  </Text>
                )}
              </div>
              <Group gap="md">
                {also && (
                  <Anchor component={PageLink} href={also.href} size="sm" className="nowrap">
                    {also.action}
                  </Anchor>
                )}
                <Anchor component={PageLink} href={href} size="sm" className="nowrap">
                  {action}
                </Anchor>
              </Group>
            </Group>
          </Group>
        ))}
      </Stack>
    </>
  );
}
