"use client";

import { Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type FormEvent, useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { Choice } from "@/app/_ui/forms/choice";
import { Dialog } from "@/app/_ui/forms/dialog";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { IconRefresh } from "@/app/_ui/icons/icons";
import type { ApiKey, RotateApiKeyInput } from "@/server/api-keys/schema";
import { NewKey } from "../../_components/new-key";

type Grace = RotateApiKeyInput["grace_hours"];

const GRACES: ReadonlyArray<{ hours: Grace; label: string }> = [
  { hours: 1, label: "1 hour" },
  { hours: 24, label: "24 hours" },
  { hours: 168, label: "7 days" },
  { hours: 0, label: "No longer: revoke it now" },
];
const FIRST: Grace = 24;

/** Replaces a key by a new one with the same limits, and shows that, once. */
export function RotateKeyButton({ apiKey }: { apiKey: ApiKey }) {
  const utils = trpc.useUtils();
  const [opened, dialog] = useDisclosure(false);
  const [grace, setGrace] = useState<Grace>(FIRST);
  const rotate = trpc.apiKeys.rotate.useMutation({ onSuccess: () => utils.apiKeys.invalidate() });
  const created = rotate.data;
  // Closing now would lose the key that is being created.
  const close = () => !rotate.isPending && dialog.close();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rotate.mutate({ id: apiKey.id, grace_hours: grace });
  };
  return (
    <>
      <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={dialog.open}>
        Rotate
      </Button>
      <Dialog
        opened={opened}
        onClose={close}
        // Not before the dialog is hidden: it would switch back to the form while it fades out.
        onExitTransitionEnd={rotate.reset}
        title={created ? "API key rotated" : "Rotate this API key?"}
        // A stray click must not close the dialog: the key is never shown again.
        closeOnClickOutside={false}
        closeOnEscape={!created}
      >
        {created ? (
          <NewKey created={created} onDone={dialog.close} />
        ) : (
          <form onSubmit={submit} aria-label="Rotation">
            <Stack gap="md">
              <ErrorAlert error={rotate.error} title="The key was not rotated" />
              <Text size="sm">
                You get a new key with the same name, permissions and limits. Give it to your program before the current
                one stops working.
              </Text>
              <Choice
                label="The current key works for"
                data={GRACES.map(({ hours, label }) => ({ value: String(hours), label }))}
                value={String(grace)}
                onChange={(value) => setGrace(GRACES.find(({ hours }) => String(hours) === value)?.hours ?? FIRST)}
              />
              <FormButtons submit="Rotate key" busy={rotate.isPending} onCancel={close} />
            </Stack>
          </form>
        )}
      </Dialog>
    </>
  );
}
