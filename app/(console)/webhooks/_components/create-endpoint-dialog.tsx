"use client";

import { webhooksTexts as texts } from "@/app/_texts/webhooks/list";
import { endpointPartsTexts as parts } from "@/app/_texts/webhooks/parts";
import { trpc } from "@/app/_trpc/client";
import { lazily } from "@/app/_ui/connection/connection";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { OneTimeSecret } from "@/app/_ui/forms/one-time-secret";
import { secretDialog } from "@/app/_ui/forms/secret-dialog";
import { useOnce } from "@/app/_ui/forms/use-idempotency-key";
import { LinkBeside } from "@/app/_ui/frame/link-beside";

const EndpointForm = lazily(() => import("./endpoint-form").then((file) => ({ default: file.EndpointForm })));

/** Creates an endpoint and shows its signing secret, once. */
export function CreateEndpointDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const utils = trpc.useUtils();
  const create = useOnce(utils.client.webhooks.create.mutate, {
    onSettled: () => void utils.webhooks.list.invalidate(),
  });
  const created = create.data;
  const behavior = secretDialog(create, onClose);
  return (
    <FormModal
      opened={opened}
      {...behavior}
      isDone={created !== undefined}
      title={created ? texts.create.created : texts.create.title}
    >
      {created ? (
        <OneTimeSecret
          title={parts.secret.copyNow}
          warning={texts.create.secretOnce}
          label={parts.secret.label}
          value={created.signing_secret}
          notice={
            <>
              {texts.create.signature}{" "}
              <LinkBeside href="/docs/webhooks#verify-the-signature">{texts.create.howToVerify}</LinkBeside>
            </>
          }
          onDone={onClose}
        />
      ) : (
        <EndpointForm
          label={texts.create.form}
          failure={texts.create.notCreated}
          action={texts.create.submit}
          save={(values, _, onError) => create.mutate(values, { onError })}
          busy={create.isPending}
          onCancel={behavior.onClose}
        />
      )}
    </FormModal>
  );
}
