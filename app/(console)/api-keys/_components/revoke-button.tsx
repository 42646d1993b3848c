"use client";

import { ActionIcon, Checkbox, Stack, Text } from "@mantine/core";
import { apiKeyActionsTexts as texts } from "@/app/_texts/api-keys/actions";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { confirmAction } from "@/app/_ui/forms/confirm";
import { IconBan } from "@/app/_ui/icons/icons";
import { toastDone, toastFailed } from "@/app/_ui/toast";
import { Tooltip } from "@/app/_ui/tooltip";
import type { ApiKey } from "@/server/api-keys/schema";
import { descendantsOf } from "./descendants";

/** Revokes a key once it is confirmed, and on request the active keys that descend from it. */
export function useRevoke(apiKey: ApiKey) {
  const utils = trpc.useUtils();
  const keys = trpc.apiKeys.details.useQuery();
  const made = descendantsOf(apiKey.id, keys.data?.data ?? []).filter((key) => key.is_active);
  const revoke = useChange(utils.client.apiKeys.revoke.mutate, {
    look: async ({ id }) => {
      const { data } = await utils.client.apiKeys.details.query();
      return data.some((key) => key.id === id && key.is_active) ? undefined : { id, object: "api_key", deleted: true };
    },
    onSuccess: (_, { cascade }) =>
      toastDone(cascade ? texts.revoke.revokedWithKeys(apiKey.name) : texts.revoke.revoked(apiKey.name)),
    onError: toastFailed,
    onSettled: () => utils.apiKeys.invalidate(),
  });
  const confirm = () => {
    let cascade = false;
    confirmAction({
      title: texts.revoke.title(apiKey.name),
      children: (
        <Stack gap="sm">
          <Text size="sm">{texts.revoke.effect}</Text>
          {made.length > 0 && (
            <Checkbox
              label={texts.revoke.cascade(made.length)}
              description={made.map((key) => key.name).join(", ")}
              onChange={(event) => {
                cascade = event.currentTarget.checked;
              }}
            />
          )}
        </Stack>
      ),
      confirmLabel: texts.revoke.submit,
      onConfirm: () => revoke.mutate({ id: apiKey.id, cascade }),
    });
  };
  return { confirm, isPending: revoke.isPending };
}

/** Revokes a key from its row. */
export function RevokeButton({ apiKey }: { apiKey: ApiKey }) {
  const { confirm, isPending } = useRevoke(apiKey);
  return (
    <Tooltip label={texts.revoke.button}>
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={texts.revoke.buttonOf(apiKey.name)}
        loading={isPending}
        onClick={confirm}
      >
        <IconBan size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
