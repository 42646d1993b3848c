"use client";

import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { newAccountTexts } from "@/app/_texts/operator/new-account";
import { trpc } from "@/app/_trpc/client";
import { useSingle } from "@/app/_ui/changes/use-single";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { secretDialog } from "@/app/_ui/forms/secret-dialog";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { MadeInvitation } from "@/app/_ui/made-invitation";
import { Notice } from "@/app/_ui/notice";
import { Time } from "@/app/_ui/values/time";
import type { CreatedInvitation } from "@/server/members/schema";
import type { OperatedAccountDetail } from "@/server/operator/account-schema";
import type { InviteOwnerInput } from "@/server/operator/schema";

/** The invitation to own an account that nobody owns yet; the owner can be invited again. */
export function OwnerInvitation({ account }: { account: OperatedAccountDetail }) {
  const texts = newAccountTexts.invitation;
  const [opened, dialog] = useDisclosure(false);
  const { owner_invitation: open, email, status } = account;
  return (
    <>
      <Notice title={texts.title}>
        <Stack gap="sm" align="flex-start">
          <Text size="sm" component="div" className="break-word">
            {open ? texts.isOpen(open.email, <Time value={open.created_at} />) : texts.isOver(email)}
          </Text>
          {status === "active" && (
            <Button size="xs" onClick={dialog.open}>
              {texts.again}
            </Button>
          )}
        </Stack>
      </Notice>
      <InviteAgainDialog account={account} opened={opened} onClose={dialog.close} />
    </>
  );
}

function InviteAgainDialog({
  account,
  opened,
  onClose,
}: {
  account: OperatedAccountDetail;
  opened: boolean;
  onClose: () => void;
}) {
  const texts = newAccountTexts.invitation;
  const utils = trpc.useUtils();
  const invite = useSingle(utils.client.operator.inviteOwner.mutate, {
    onSettled: () => void utils.operator.invalidate(),
  });
  const behavior = secretDialog(invite, onClose);
  return (
    <FormModal opened={opened} {...behavior} isDone={invite.data !== undefined} title={texts.titleAgain}>
      {invite.data ? (
        <MadeInvitation invitation={invite.data} onDone={onClose} />
      ) : (
        <InviteAgainForm account={account} invite={invite} onCancel={behavior.onClose} />
      )}
    </FormModal>
  );
}

type Invite = ReturnType<typeof useSingle<InviteOwnerInput, CreatedInvitation>>;

function InviteAgainForm({
  account,
  invite,
  onCancel,
}: {
  account: OperatedAccountDetail;
  invite: Invite;
  onCancel: () => void;
}) {
  const texts = newAccountTexts.invitation;
  const form = useForm({ mode: "controlled", initialValues: { email: account.email } });
  const errors = useFormErrors(form);
  const submit = form.onSubmit(({ email }) => {
    errors.clear();
    invite.mutate({ account_id: account.id, email }, { onError: errors.show });
  });
  return (
    <form onSubmit={submit} noValidate aria-label={texts.form}>
      <Stack gap="md">
        <SaveAlert error={errors.unplaced} title={texts.notInvited} unknown={texts.unknown} again={texts.tryAgain} />
        <TextInput
          label={newAccountTexts.email}
          description={texts.effect}
          type="email"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps("email")}
        />
        <FormButtons submit={texts.submit} busy={invite.isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
