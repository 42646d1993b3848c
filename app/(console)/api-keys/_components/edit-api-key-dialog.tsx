"use client";

import { Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { apiKeyActionsTexts as texts } from "@/app/_texts/api-keys/actions";
import { apiKeyFormTexts as formTexts } from "@/app/_texts/api-keys/form";
import { trpc } from "@/app/_trpc/client";
import { ifHolds } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { lazily } from "@/app/_ui/connection/connection";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { toastDone } from "@/app/_ui/toast";
import type { ApiKey } from "@/server/api-keys/schema";
import { storedNetworks } from "./stored-networks";

const ApiKeyForm = lazily(() => import("./api-key-form").then((file) => ({ default: file.ApiKeyForm })));

/** Changes the name and the limits of a key; null: closed. */
export function EditApiKeyDialog({ apiKey, onClose }: { apiKey: ApiKey | null; onClose: () => void }) {
  const isNarrow = useMediaQuery("(max-width: 36em)");
  return (
    <FormModal
      opened={apiKey !== null}
      onClose={onClose}
      title={texts.edit.title}
      size="lg"
      fullScreen={isNarrow}
      closeOnClickOutside={false}
    >
      {apiKey && <EditForm apiKey={apiKey} onClose={onClose} />}
    </FormModal>
  );
}

function EditForm({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const utils = trpc.useUtils();
  const update = useChange(utils.client.apiKeys.update.mutate, {
    look: async ({ allowed_ips, ...asked }) =>
      ifHolds(
        (await utils.client.apiKeys.details.query()).data.find(({ id }) => id === asked.id),
        { ...asked, allowed_ips: allowed_ips && storedNetworks(allowed_ips) },
      ),
    late: { failed: formTexts.notChanged },
    onSuccess: ({ name }) => toastDone(texts.edit.changed(name)),
    onSettled: () => void utils.apiKeys.invalidate(),
  });
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {texts.edit.effect}
      </Text>
      <ApiKeyForm
        apiKey={apiKey}
        save={(_, { permissions: __, ...edited }, onError) =>
          update.mutate({ ...edited, id: apiKey.id }, { onSuccess: onClose, onError })
        }
        busy={update.isPending}
        onCancel={onClose}
      />
    </Stack>
  );
}
