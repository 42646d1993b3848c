"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { sharedTexts } from "@/app/_texts/shared";
import { endpointTexts as texts } from "@/app/_texts/webhooks/endpoint";
import { endpointPartsTexts as parts } from "@/app/_texts/webhooks/parts";
import { trpc } from "@/app/_trpc/client";
import { Dialog } from "@/app/_ui/forms/dialog";
import { OnceAlert } from "@/app/_ui/forms/error-alert";
import { OneTimeSecret } from "@/app/_ui/forms/one-time-secret";
import { secretDialog } from "@/app/_ui/forms/secret-dialog";
import { useOnce } from "@/app/_ui/forms/use-idempotency-key";
import { IconRefresh } from "@/app/_ui/icons/icons";

/** Rotates the signing secret of an endpoint and shows the new one, once. */
export function RotateSecretButton({ endpointId }: { endpointId: string }) {
  const [opened, dialog] = useDisclosure(false);
  const utils = trpc.useUtils();
  const rotate = useOnce(utils.client.webhooks.rotateSecret.mutate);
  const secret = rotate.data?.signing_secret;
  const behavior = secretDialog(rotate, dialog.close);
  return (
    <>
      <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={dialog.open}>
        {texts.rotate.button}
      </Button>
      <Dialog opened={opened} {...behavior} title={secret ? texts.rotate.rotated : texts.rotate.title}>
        {secret ? (
          <OneTimeSecret
            title={parts.secret.copyNow}
            warning={texts.rotate.secretOnce}
            label={parts.secret.label}
            value={secret}
            notice={texts.rotate.twoSignatures}
            onDone={dialog.close}
          />
        ) : (
          <Stack gap="md">
            <OnceAlert error={rotate.error} title={texts.rotate.notRotated} />
            <Text size="sm">{texts.rotate.effect}</Text>
            <Group className="dialog-foot" justify="flex-end" gap="sm">
              <Button variant="default" onClick={behavior.onClose}>
                {sharedTexts.cancel}
              </Button>
              <Button loading={rotate.isPending} onClick={() => rotate.mutate({ id: endpointId })}>
                {texts.rotate.submit}
              </Button>
            </Group>
          </Stack>
        )}
      </Dialog>
    </>
  );
}
