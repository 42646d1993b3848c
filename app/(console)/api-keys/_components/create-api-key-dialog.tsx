"use client";

import { useMediaQuery } from "@mantine/hooks";
import { apiKeysTexts as texts } from "@/app/_texts/api-keys/list";
import { trpc } from "@/app/_trpc/client";
import { lazily } from "@/app/_ui/connection/connection";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { secretDialog } from "@/app/_ui/forms/secret-dialog";
import { useOnce } from "@/app/_ui/forms/use-idempotency-key";
import { NewKey } from "./new-key";

const ApiKeyForm = lazily(() => import("./api-key-form").then((file) => ({ default: file.ApiKeyForm })));

/** Creates a key and shows it, once. */
export function CreateApiKeyDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const utils = trpc.useUtils();
  const create = useOnce(utils.client.apiKeys.create.mutate, { onSettled: () => void utils.apiKeys.invalidate() });
  const isNarrow = useMediaQuery("(max-width: 36em)");
  const created = create.data;
  const behavior = secretDialog(create, onClose);
  return (
    <FormModal
      opened={opened}
      {...behavior}
      isDone={created !== undefined}
      title={created ? texts.create.created : texts.create.title}
      size="lg"
      fullScreen={isNarrow}
    >
      {created ? (
        <NewKey created={created} onDone={onClose} />
      ) : (
        <ApiKeyForm
          save={(input, _, onError) => create.mutate(input, { onError })}
          busy={create.isPending}
          onCancel={behavior.onClose}
        />
      )}
    </FormModal>
  );
}
