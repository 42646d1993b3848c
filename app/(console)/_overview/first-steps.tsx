"use client";

import { Card, Group, Stack, Text, ThemeIcon, Title, VisuallyHidden } from "@mantine/core";
import { trpc } from "@/app/_trpc/client";
import { LinkButton } from "@/app/_ui/frame/link-button";
import type { Icon } from "@/app/_ui/icons/icon";
import { IconAddressBook, IconCheck, IconKey, IconSend, IconWebhook } from "@/app/_ui/icons/icons";

type Step = { icon: Icon; title: string; text: string; href: string; action: string; done: boolean };

/** The steps to the first delivered message, each marked when it is done. `hasSent`: one was sent already. */
export function FirstSteps({ hasSent }: { hasSent: boolean }) {
  const senders = trpc.senders.list.useQuery({ limit: 1 });
  const approved = trpc.senders.list.useQuery({ status: "approved", limit: 1 });
  const keys = trpc.apiKeys.list.useQuery();
  const webhooks = trpc.webhooks.list.useQuery();
  const waiting = (senders.data?.pagination.total ?? 0) > 0 && approved.data?.pagination.total === 0;

  const steps: Step[] = [
    {
      icon: IconAddressBook,
      title: "Register a sender",
      text: waiting
        ? "Your sender is waiting for the operator’s approval. Continue with the other steps meanwhile."
        : "The name or number that recipients see. The operator approves it before its first use.",
      href: "/senders",
      action: waiting ? "View status" : "Register",
      done: (approved.data?.pagination.total ?? 0) > 0,
    },
    {
      icon: IconKey,
      title: "Create an API key",
      text: "Lets your programs send and track messages. Not needed to send from this console.",
      href: "/api-keys",
      action: "Create",
      done: (keys.data?.data.length ?? 0) > 0,
    },
    {
      icon: IconWebhook,
      title: "Add a webhook endpoint",
      text: "Your server gets a signed request for every status change.",
      href: "/webhooks",
      action: "Add",
      done: (webhooks.data?.data.length ?? 0) > 0,
    },
    {
      icon: IconSend,
      title: "Send your first message",
      text: hasSent
        ? "Sent, but not delivered yet. Its page shows how far it came."
        : "Write it here. The price is shown before you send.",
      href: hasSent ? "/messages" : "/send",
      action: hasSent ? "View messages" : "Send",
      done: false,
    },
  ];

  return (
    <Card component="section" aria-labelledby="first-steps">
      <Title order={2} size="h4" id="first-steps">
        First steps
      </Title>
      <Text size="sm" c="dimmed" mt={4} mb="lg">
        {hasSent
          ? "No message has been delivered yet. These steps remain until the first one is."
          : "You have not sent any messages yet. Follow these steps to send the first one."}
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
    <Group component="li" wrap="nowrap" align="flex-start" gap="md">
      <ThemeIcon size={38} radius="xl" variant="light" color={done ? "teal" : undefined} aria-hidden>
        {done ? <IconCheck size={20} /> : <IconOf size={20} stroke={1.7} />}
      </ThemeIcon>
      <Group flex={1} justify="space-between" gap="sm">
        <div className="step-text">
          <Text fw={600}>
            {title}
            {done && <VisuallyHidden> (done)</VisuallyHidden>}
          </Text>
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        </div>
        {!done && (
          <LinkButton href={href} variant="default" size="xs" aria-label={`${action}: ${title}`}>
            {action}
          </LinkButton>
        )}
      </Group>
    </Group>
  );
}
