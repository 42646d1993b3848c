"use client";

import { useMediaQuery } from "@mantine/hooks";
import { lazy } from "react";
import { apiKeysTexts as texts } from "@/app/_texts/api-keys/list";
import { trpc } from "@/app/_trpc/client";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { NewKey } from "./new-key";

const ApiKeyForm = lazy(() => import("./api-key-form").then((file) => ({ default: file.ApiKeyForm })));

/** Creates a key and shows it, once. */
export function CreateApiKeyDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const utils = trpc.useUtils();
  const create = trpc.apiKeys.create.useMutation({ onSuccess: () => utils.apiKeys.invalidate() });
  const isNarrow = useMediaQuery("(max-width: 36em)");
  const created = create.data;
  // Closing now would lose the key that is being created.
  const close = () => !create.isPending && onClose();
  return (
    <FormModal
      opened={opened}
      onClose={close}
      // Not before the dialog is hidden: it would switch back to the form while it fades out.
      onExitTransitionEnd={create.reset}
      isDone={created !== undefined}
      title={created ? texts.create.created : texts.create.title}
      size="lg"
      fullScreen={isNarrow}
      // A stray click must not close the dialog: the key is never shown again.
      closeOnClickOutside={false}
      closeOnEscape={!created}
    >
      {created ? (
        <NewKey created={created} onDone={onClose} />
      ) : (
        <ApiKeyForm
          save={(input, onError) => create.mutate(input, { onError })}
          busy={create.isPending}
          onCancel={close}
        />
      )}
    </FormModal>
  );
}
