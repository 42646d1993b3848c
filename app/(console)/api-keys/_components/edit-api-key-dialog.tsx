"use client";

import { Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { apiKeyActionsTexts as texts } from "@/app/_texts/api-keys/actions";
import { trpc } from "@/app/_trpc/client";
import { lazily } from "@/app/_ui/connection/connection";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { toastDone } from "@/app/_ui/toast";
import type { ApiKey } from "@/server/api-keys/schema";

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
  const update = trpc.apiKeys.update.useMutation({
    onSuccess: ({ name }) => {
      toastDone(texts.edit.changed(name));
      void utils.apiKeys.invalidate();
    },
  });
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {texts.edit.effect}
      </Text>
      <ApiKeyForm
        apiKey={apiKey}
        save={(input, onError) => {
          const { permissions: _, ...limits } = input;
          update.mutate({ ...limits, id: apiKey.id }, { onSuccess: onClose, onError });
        }}
        busy={update.isPending}
        onCancel={onClose}
      />
    </Stack>
  );
}
