"use client";

import { Card, Group, Stack, Text, ThemeIcon, Title, VisuallyHidden } from "@mantine/core";
import { firstStepsTexts as texts } from "@/app/_texts/overview/first-steps";
import { trpc } from "@/app/_trpc/client";
import { LinkButton } from "@/app/_ui/frame/link-button";
import type { Icon } from "@/app/_ui/icons/icon";
import { IconAddressBook, IconCheck, IconKey, IconSend, IconWebhook } from "@/app/_ui/icons/icons";

/** `done` undefined: not known yet, so nothing is asked for. */
type Step = { icon: Icon; title: string; text: string; href: string; action: string; done: boolean | undefined };

/** The steps to the first delivered message, each marked when it is done. `hasSent`: one was sent already. */
export function FirstSteps({ hasSent }: { hasSent: boolean }) {
  const senders = trpc.senders.list.useQuery({ limit: 1 });
  const approved = trpc.senders.list.useQuery({ status: "approved", limit: 1 });
  const keys = trpc.apiKeys.details.useQuery();
  const webhooks = trpc.webhooks.list.useQuery();
  const waiting = (senders.data?.pagination.total ?? 0) > 0 && approved.data?.pagination.total === 0;

  const steps: Step[] = [
    {
      icon: IconAddressBook,
      title: texts.sender.title,
      text: waiting ? texts.sender.waiting : texts.sender.text,
      href: "/senders",
      action: waiting ? texts.sender.viewStatus : texts.sender.action,
      done: approved.data && approved.data.pagination.total > 0,
    },
    {
      icon: IconKey,
      title: texts.apiKey.title,
      text: texts.apiKey.text,
      href: "/api-keys",
      action: texts.apiKey.action,
      done: keys.data && keys.data.data.length > 0,
    },
    {
      icon: IconWebhook,
      title: texts.webhook.title,
      text: texts.webhook.text,
      href: "/webhooks",
      action: texts.webhook.action,
      done: webhooks.data && webhooks.data.data.length > 0,
    },
    {
      icon: IconSend,
      title: texts.message.title,
      text: hasSent ? texts.message.sent : texts.message.text,
      href: hasSent ? "/messages" : "/send",
      action: hasSent ? texts.message.viewMessages : texts.message.action,
      done: false,
    },
  ];

  return (
    <Card component="section" aria-labelledby="first-steps">
      <Title order={2} size="h4" id="first-steps">
        {texts.title}
      </Title>
      <Text size="sm" c="dimmed" mt={4} mb="lg">
        {hasSent ? texts.noneDelivered : texts.noneSent}
      </Text>
      <Stack component="ol" gap="lg" className="plain-list">
        {steps.map((step) => (
          <StepRow key={step.href} step={step} />
        ))}
      </Stack>
    </Card>
  );
}

function StepRow({ step: { icon: IconOf, title, text, href, action, done } }: { step: Step }) {
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="md" aria-busy={done === undefined}>
      <ThemeIcon size={38} radius="xl" variant="light" color={done ? "teal" : undefined} aria-hidden>
        {done ? <IconCheck size={20} /> : <IconOf size={20} stroke={1.7} />}
      </ThemeIcon>
      <Group flex={1} justify="space-between" gap="sm">
        <div className="step-text">
          <Text fw={600}>
            {title}
            {done && <VisuallyHidden> {texts.done}</VisuallyHidden>}
          </Text>
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        </div>
        {done === false && (
          <LinkButton href={href} variant="default" size="xs" aria-label={texts.actionOf(action, title)}>
            {action}
          </LinkButton>
        )}
      </Group>
    </Group>
  );
}
