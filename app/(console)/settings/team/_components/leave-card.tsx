"use client";

import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { signOutHere } from "@/app/_shell/sign-out";
import { teamTexts as texts } from "@/app/_texts/settings/team";
import { dropPerson, trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { toastFailed } from "@/app/_ui/toast";

/** Lets a person leave the account, unless they are its only owner. */
export function LeaveCard() {
  const { data: members } = trpc.members.list.useQuery();
  const owners = members?.filter(({ role }) => role === "owner") ?? [];
  const isOnlyOwner = owners.length === 1 && owners.every((owner) => owner.is_self);
  const leave = trpc.members.leave.useMutation({
    onSuccess: async ({ account_id }) => {
      if (account_id === null) return signOutHere();
      dropPerson();
      window.location.assign("/");
    },
    onError: toastFailed,
  });
  return (
    <Card component="section" aria-labelledby="leave" padding="lg">
      <Group justify="space-between" gap="md">
        <Stack gap={4} flex="1 1 260px">
          <Title order={2} size="h4" id="leave">
            {texts.leave.title}
          </Title>
          <Text size="sm" c="dimmed">
            {isOnlyOwner ? texts.leave.onlyOwner : texts.leave.description}
          </Text>
        </Stack>
        <Button
          variant="default"
          loading={leave.isPending}
          disabled={isOnlyOwner || !members}
          onClick={() =>
            confirmAction({
              title: texts.leave.question,
              children: texts.leave.consequence,
              confirmLabel: texts.leave.action,
              onConfirm: () => leave.mutate(),
            })
          }
        >
          {texts.leave.action}
        </Button>
      </Group>
    </Card>
  );
}
