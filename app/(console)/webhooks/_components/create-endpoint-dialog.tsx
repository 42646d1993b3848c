"use client";

import { trpc } from "@/app/_trpc/client";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { OneTimeSecret } from "@/app/_ui/forms/one-time-secret";
import { EndpointForm } from "./endpoint-form";

/** Creates an endpoint and shows its signing secret, once. */
export function CreateEndpointDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const utils = trpc.useUtils();
  const create = trpc.webhooks.create.useMutation({ onSuccess: () => utils.webhooks.list.invalidate() });
  const created = create.data;
  // Closing now would lose the secret that is being created.
  const close = () => !create.isPending && onClose();
  return (
    <FormModal
      opened={opened}
      onClose={close}
      // Not before the dialog is hidden: it would switch back to the form while it fades out.
      onExitTransitionEnd={create.reset}
      isDone={created !== undefined}
      title={created ? "Endpoint created" : "Add a webhook endpoint"}
      // A stray click must not close the dialog: the secret is never shown again.
      closeOnClickOutside={false}
      closeOnEscape={!created}
    >
      {created ? (
        <OneTimeSecret
          title="Copy the signing secret now"
          warning="It is shown only once. Your server needs it to verify that events come from this service."
          label="Signing secret"
          value={created.signing_secret}
          notice="Each request carries Service-Signature: t=<unix time>,v1=<hex>, where v1 is the HMAC-SHA-256 of “t.body” under this secret."
          onDone={onClose}
        />
      ) : (
        <EndpointForm
          label="New endpoint"
          failure="The endpoint was not created"
          action="Create endpoint"
          save={(values, onError) => create.mutate(values, { onError })}
          busy={create.isPending}
          onCancel={close}
        />
      )}
    </FormModal>
  );
}
