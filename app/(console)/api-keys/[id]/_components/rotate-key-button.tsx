"use client";

import { Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type FormEvent, useState } from "react";
import { apiKeyTexts as texts } from "@/app/_texts/api-keys/key";
import { trpc } from "@/app/_trpc/client";
import { Choice } from "@/app/_ui/forms/choice";
import { Dialog } from "@/app/_ui/forms/dialog";
import { OnceAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { secretDialog } from "@/app/_ui/forms/secret-dialog";
import { useOnce } from "@/app/_ui/forms/use-idempotency-key";
import { IconRefresh } from "@/app/_ui/icons/icons";
import type { ApiKey, RotateApiKeyInput } from "@/server/api-keys/schema";
import { NewKey } from "../../_components/new-key";

type Grace = RotateApiKeyInput["grace_hours"];

/** Hours, as they are offered. */
const GRACES: readonly Grace[] = [1, 24, 168, 0];
const FIRST: Grace = 24;

/** Replaces a key by a new one with the same limits, and shows that, once. */
export function RotateKeyButton({ apiKey }: { apiKey: ApiKey }) {
  const utils = trpc.useUtils();
  const [opened, dialog] = useDisclosure(false);
  const [grace, setGrace] = useState<Grace>(FIRST);
  const rotate = useOnce(utils.client.apiKeys.rotate.mutate, { onSettled: () => void utils.apiKeys.invalidate() });
  const created = rotate.data;
  const behaviour = secretDialog(rotate, dialog.close);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rotate.mutate({ id: apiKey.id, grace_hours: grace });
  };
  return (
    <>
      <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={dialog.open}>
        {texts.rotate.button}
      </Button>
      <Dialog opened={opened} {...behaviour} title={created ? texts.rotate.rotated : texts.rotate.title}>
        {created ? (
          <NewKey created={created} onDone={dialog.close} />
        ) : (
          <form onSubmit={submit} aria-label={texts.rotate.form}>
            <Stack gap="md">
              <OnceAlert error={rotate.error} title={texts.rotate.notRotated} />
              <Text size="sm">{texts.rotate.effect}</Text>
              <Choice
                label={texts.rotate.grace}
                data={GRACES.map((hours) => ({ value: String(hours), label: texts.rotate.graces[hours] }))}
                value={String(grace)}
                onChange={(value) => setGrace(GRACES.find((hours) => String(hours) === value) ?? FIRST)}
              />
              <FormButtons submit={texts.rotate.submit} busy={rotate.isPending} onCancel={behaviour.onClose} />
            </Stack>
          </form>
        )}
      </Dialog>
    </>
  );
}
