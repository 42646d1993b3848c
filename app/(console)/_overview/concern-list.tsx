"use client";

import { Anchor, Card, Group, Skeleton, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";
import { trpc } from "@/app/_trpc/client";
import { IconAlertTriangle, IconCircleCheck } from "@/app/_ui/icons/icons";
import { QueryState } from "@/app/_ui/lists/query-state";
import { formatCount } from "@/app/_ui/values/count";
import { formatMoney } from "@/app/_ui/values/money";
import { formatShare } from "@/app/_ui/values/share";
import { Time } from "@/app/_ui/values/time";
import type { Concern } from "@/server/overview/schema";

const REFRESH_MS = 30_000;

type View = { key: string; title: string; text?: ReactNode; href: string; action: string };

const endpointLink = (id: string) => ({ href: `/webhooks/${id}`, action: "Open endpoint" });

function viewOf(concern: Concern): View {
  switch (concern.kind) {
    case "account_suspended":
      return {
        key: concern.kind,
        title: "Your account is suspended",
        text: "Sends are refused until the operator lifts the suspension.",
        href: "/audit",
        action: "Audit log",
      };
    case "balance_low":
      return {
        key: concern.kind,
        title: "Your balance is low",
        text: `${formatMoney(concern.balance, concern.currency)} will last ${
          concern.days_left < 1 ? "less than a day" : `about ${Math.floor(concern.days_left)} days`
        } at last week’s spending.`,
        href: "/usage",
        action: "Usage",
      };
    case "messages_failing":
      return {
        key: concern.kind,
        title: "Unusually many messages fail",
        text: `${formatCount(concern.failed)} of ${formatCount(concern.ended)} did not arrive since yesterday${
          concern.usual_share === null ? "" : `; usually it is ${formatShare(concern.usual_share, 1)}`
        }.`,
        href: "/messages?status=failed",
        action: "Failed messages",
      };
    case "messages_waiting":
      return {
        key: concern.kind,
        title: "Messages wait for a provider",
        text: (
          <>
            The oldest was accepted <Time value={concern.since} />.
          </>
        ),
        href: "/messages?status=pending",
        action: "Pending messages",
      };
    case "endpoint_disabled":
      return {
        key: concern.id,
        title: "A webhook endpoint is disabled",
        text: `${concern.url} gets no events until you enable it again; they wait.`,
        ...endpointLink(concern.id),
      };
    case "endpoint_failing":
      return {
        key: concern.id,
        title: "A webhook endpoint is failing",
        text: `${concern.url}: ${formatCount(concern.failures)} failed ${concern.failures === 1 ? "try" : "tries in a row"}. 25 disable it.`,
        ...endpointLink(concern.id),
      };
    case "sender_rejected":
      return {
        key: `sender ${concern.sender}`,
        title: `The sender ${concern.sender} cannot be used`,
        text: concern.reason ?? "The operator rejected or suspended it.",
        href: "/senders",
        action: "Senders",
      };
    case "key_expiring":
      return {
        key: concern.id,
        title: `The API key “${concern.name}” expires soon`,
        text: (
          <>
            It stops working <Time value={concern.expires_at} />.
          </>
        ),
        href: `/api-keys/${concern.id}`,
        action: "API key",
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
        Nothing needs your attention
      </Title>
    </Group>
  );
}

function Found({ concerns }: { concerns: Concern[] }) {
  return (
    <>
      <Title order={2} size="h4" id="concerns" mb="md">
        Needs your attention
      </Title>
      <Stack component="ul" gap="md" className="plain-list">
        {concerns.map(viewOf).map(({ key, title, text, href, action }) => (
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
              <Anchor component={Link} href={href} size="sm" className="nowrap">
                {action}
              </Anchor>
            </Group>
          </Group>
        ))}
      </Stack>
    </>
  );
}
