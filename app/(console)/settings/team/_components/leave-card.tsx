"use client";

import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { forgetPerson, trpc } from "@/app/_trpc/client";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { toastFailed } from "@/app/_ui/toast";

/** The way out of the account. */
export function LeaveCard() {
  const leave = trpc.members.leave.useMutation({
    onSuccess: async ({ account_id }) => {
      forgetPerson();
      if (account_id !== null) return window.location.assign("/");
      const { signOut } = await import("next-auth/react");
      await signOut({ callbackUrl: "/sign-in" });
    },
    onError: toastFailed,
  });
  return (
    <Card component="section" aria-labelledby="leave" padding="lg">
      <Group justify="space-between" gap="md">
        <Stack gap={4} flex="1 1 260px">
          <Title order={2} size="h4" id="leave">
            Leave this account
          </Title>
          <Text size="sm" c="dimmed">
            You lose access at once. Your other accounts stay as they are. The last owner cannot leave.
          </Text>
        </Stack>
        <Button
          variant="default"
          loading={leave.isPending}
          onClick={() =>
            confirmAction({
              title: "Leave this account?",
              children: "Only an owner can invite you again.",
              confirmLabel: "Leave account",
              onConfirm: () => leave.mutate(),
            })
          }
        >
          Leave account
        </Button>
      </Group>
    </Card>
  );
}
