"use client";

import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconRefresh } from "@tabler/icons-react";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/error-alert";
import { Notice } from "@/app/_ui/notice";
import { SecretValue } from "@/app/_ui/secret-value";

/** Gives the endpoint a new signing secret and shows it, this once. */
export function RotateSecretButton({ endpointId }: { endpointId: string }) {
  const [opened, dialog] = useDisclosure(false);
  const rotate = trpc.webhooks.rotateSecret.useMutation();
  const secret = rotate.data?.signing_secret;
  // A secret that is being made would be lost with the dialog.
  const close = () => !rotate.isPending && dialog.close();
  return (
    <>
      <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={dialog.open}>
        Rotate secret
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        // The secret is forgotten only once the dialog is out of sight.
        onExitTransitionEnd={rotate.reset}
        title={secret ? "The new signing secret" : "Rotate the signing secret?"}
        // A stray click must not take away a secret that can never be shown again.
        closeOnClickOutside={false}
        closeOnEscape={!secret}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {secret ? (
          <NewSecret secret={secret} onDone={dialog.close} />
        ) : (
          <Stack gap="md">
            <ErrorAlert error={rotate.error} title="The secret was not rotated" />
            <Text size="sm">
              Events are signed with the new secret at once, and with the present one too for 24 hours. A secret that
              was replaced before stops signing now.
            </Text>
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button loading={rotate.isPending} onClick={() => rotate.mutate({ id: endpointId })}>
                Make a new secret
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  );
}

function NewSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <Stack gap="md">
      <Notice title="Copy the signing secret now">
        It is shown this once. The former secret signs too for 24 hours: bring the new one into your service before
        then.
      </Notice>
      <SecretValue
        label="Signing secret"
        value={secret}
        notice="Until then requests carry two signatures; one that your service can verify is enough."
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          I have copied it
        </Button>
      </Group>
    </Stack>
  );
}
