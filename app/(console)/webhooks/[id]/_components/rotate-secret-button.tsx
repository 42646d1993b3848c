"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { trpc } from "@/app/_trpc/client";
import { Dialog } from "@/app/_ui/forms/dialog";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { OneTimeSecret } from "@/app/_ui/forms/one-time-secret";
import { IconRefresh } from "@/app/_ui/icons/icons";

/** Rotates the signing secret of an endpoint and shows the new one, once. */
export function RotateSecretButton({ endpointId }: { endpointId: string }) {
  const [opened, dialog] = useDisclosure(false);
  const rotate = trpc.webhooks.rotateSecret.useMutation();
  const secret = rotate.data?.signing_secret;
  // Closing now would lose the secret that is being created.
  const close = () => !rotate.isPending && dialog.close();
  return (
    <>
      <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={dialog.open}>
        Rotate secret
      </Button>
      <Dialog
        opened={opened}
        onClose={close}
        // Not before the dialog is hidden: it would switch back to the question while it fades out.
        onExitTransitionEnd={rotate.reset}
        title={secret ? "New signing secret" : "Rotate the signing secret?"}
        // A stray click must not close the dialog: the secret is never shown again.
        closeOnClickOutside={false}
        closeOnEscape={!secret}
      >
        {secret ? (
          <OneTimeSecret
            title="Copy the signing secret now"
            warning="It is shown only once. The previous secret signs too for 24 hours: switch your server to the new one before then."
            label="Signing secret"
            value={secret}
            notice="Until then each request has two signatures; it is genuine if one of them matches."
            onDone={dialog.close}
          />
        ) : (
          <Stack gap="md">
            <ErrorAlert error={rotate.error} title="The secret was not rotated" />
            <Text size="sm">
              Events are signed with the new secret at once, and also with the current one for 24 hours. An older secret
              still in use from an earlier rotation stops signing now.
            </Text>
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button loading={rotate.isPending} onClick={() => rotate.mutate({ id: endpointId })}>
                Rotate now
              </Button>
            </Group>
          </Stack>
        )}
      </Dialog>
    </>
  );
}
