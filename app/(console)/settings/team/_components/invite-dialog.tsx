"use client";

import { Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { rolesTexts } from "@/app/_texts/settings/roles";
import { teamTexts as texts } from "@/app/_texts/settings/team";
import { trpc } from "@/app/_trpc/client";
import { useSingle } from "@/app/_ui/changes/use-single";
import { Choice } from "@/app/_ui/forms/choice";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { secretDialog } from "@/app/_ui/forms/secret-dialog";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { MadeInvitation } from "@/app/_ui/made-invitation";
import type { CreatedInvitation, InviteInput, Member } from "@/server/members/schema";
import { roleOptions } from "./role-options";

type Values = { email: string; role: Member["role"] };

/** Invites somebody by email address, and shows the link for them, once. */
export function InviteDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const utils = trpc.useUtils();
  const create = useSingle(utils.client.members.invitations.create.mutate, {
    onSettled: () => void utils.members.invalidate(),
  });
  const behavior = secretDialog(create, onClose);
  return (
    <FormModal
      opened={opened}
      {...behavior}
      isDone={create.data !== undefined}
      title={create.data ? texts.invited.title : texts.invite.title}
    >
      {create.data ? (
        <MadeInvitation invitation={create.data} onDone={onClose} />
      ) : (
        <InviteForm create={create} onCancel={behavior.onClose} />
      )}
    </FormModal>
  );
}

type CreateMutation = ReturnType<typeof useSingle<InviteInput, CreatedInvitation>>;

function InviteForm({ create, onCancel }: { create: CreateMutation; onCancel: () => void }) {
  const form = useForm<Values>({ mode: "controlled", initialValues: { email: "", role: "developer" } });
  const errors = useFormErrors(form);
  const submit = form.onSubmit((values) => {
    errors.clear();
    create.mutate(values, {
      onError: errors.show,
    });
  });
  return (
    <form onSubmit={submit} noValidate aria-label={texts.invite.form}>
      <Stack gap="md">
        <SaveAlert
          error={errors.unplaced}
          title={texts.invite.notInvited}
          unknown={texts.invite.unknown}
          again={texts.invite.again}
        />
        <TextInput
          label={texts.invite.email}
          type="email"
          autoComplete="off"
          placeholder="bob@example.com"
          data-autofocus
          {...form.getInputProps("email")}
        />
        <Choice
          label={texts.invite.role}
          description={rolesTexts[form.values.role].may}
          data={roleOptions()}
          {...form.getInputProps("role")}
        />
        <FormButtons submit={texts.invite.submit} busy={create.isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
