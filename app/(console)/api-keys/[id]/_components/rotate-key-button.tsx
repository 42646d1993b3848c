"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { apiKeyTexts as texts } from "@/app/_texts/api-keys/key";
import { trpc } from "@/app/_trpc/client";
import { lazily } from "@/app/_ui/connection/connection";
import { Dialog } from "@/app/_ui/forms/dialog";
import { secretDialog } from "@/app/_ui/forms/secret-dialog";
import { useOnce } from "@/app/_ui/forms/use-idempotency-key";
import { IconRefresh } from "@/app/_ui/icons/icons";
import type { ApiKey } from "@/server/api-keys/schema";
import { NewKey } from "../../_components/new-key";

const RotateForm = lazily(() => import("./rotate-form").then((file) => ({ default: file.RotateForm })));

/** Replaces a key with a new one that has the same limits, and shows the new key once. */
export function RotateKeyButton({ apiKey }: { apiKey: ApiKey }) {
  const utils = trpc.useUtils();
  const [opened, dialog] = useDisclosure(false);
  const rotate = useOnce(utils.client.apiKeys.rotate.mutate, { onSettled: () => void utils.apiKeys.invalidate() });
  const created = rotate.data;
  const behavior = secretDialog(rotate, dialog.close);
  return (
    <>
      <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={dialog.open}>
        {texts.rotate.button}
      </Button>
      <Dialog opened={opened} {...behavior} title={created ? texts.rotate.rotated : texts.rotate.title}>
        {created ? (
          <NewKey created={created} onDone={dialog.close} />
        ) : (
          <RotateForm
            rotate={(grace, onError) => rotate.mutate({ id: apiKey.id, grace_hours: grace }, { onError })}
            busy={rotate.isPending}
            onCancel={behavior.onClose}
          />
        )}
      </Dialog>
    </>
  );
}
