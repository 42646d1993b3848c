"use client";

import { Button, Group, Modal, Stack } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { trpc } from "@/app/_trpc/client";
import { Notice } from "@/app/_ui/notice";
import { SecretValue } from "@/app/_ui/secret-value";
import type { CreatedApiKey } from "@/server/api-keys/schema";
import { ApiKeyForm } from "./api-key-form";

/** Asks for a key's properties, then shows the key itself, this once. */
export function CreateApiKeyDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const create = trpc.apiKeys.create.useMutation();
  const isNarrow = useMediaQuery("(max-width: 36em)");
  const created = create.data;
  // A key that is being made would be lost with the dialog.
  const close = () => !create.isPending && onClose();
  return (
    <Modal
      opened={opened}
      onClose={close}
      // The key is forgotten only once the dialog is out of sight.
      onExitTransitionEnd={create.reset}
      title={created ? "API key created" : "Create an API key"}
      size="lg"
      fullScreen={isNarrow}
      // A stray click must not take away a key that can never be shown again.
      closeOnClickOutside={false}
      closeOnEscape={!created}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {created ? <NewKey created={created} onDone={onClose} /> : <ApiKeyForm create={create} onCancel={close} />}
    </Modal>
  );
}

function NewKey({ created, onDone }: { created: CreatedApiKey; onDone: () => void }) {
  return (
    <Stack gap="md">
      <Notice title="Copy the key now">{created.plain_key_notice}</Notice>
      <SecretValue label={`Key “${created.name}”`} value={created.plain_key} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          I have copied it
        </Button>
      </Group>
    </Stack>
  );
}
