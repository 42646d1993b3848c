"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { trpc } from "@/app/_trpc/client";
import { Choice } from "@/app/_ui/forms/choice";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { SecretValue } from "@/app/_ui/values/secret-value";
import type { CreatedInvitation, Member } from "@/server/members/schema";
import { ROLE_OPTIONS, ROLE_WORDS } from "./role-words";

type Values = { email: string; role: Member["role"] };

/** Invites somebody by email address, and shows the link for them, once. */
export function InviteDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const utils = trpc.useUtils();
  const create = trpc.members.invitations.create.useMutation({ onSuccess: () => utils.members.invalidate() });
  const close = () => !create.isPending && onClose();
  return (
    <FormModal
      opened={opened}
      onClose={close}
      onExitTransitionEnd={create.reset}
      isDone={create.data !== undefined}
      title={create.data ? "Invitation created" : "Invite a member"}
      closeOnClickOutside={!create.data}
    >
      {create.data ? (
        <Made invitation={create.data} onDone={onClose} />
      ) : (
        <InviteForm create={create} onCancel={close} />
      )}
    </FormModal>
  );
}

type CreateMutation = ReturnType<typeof trpc.members.invitations.create.useMutation>;

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
    <form onSubmit={submit} noValidate aria-label="New invitation">
      <Stack gap="md">
        <ErrorAlert error={errors.unplaced} title="Nobody was invited" />
        <TextInput
          label="Email"
          type="email"
          autoComplete="off"
          placeholder="bob@example.com"
          data-autofocus
          {...form.getInputProps("email")}
        />
        <Choice
          label="Role"
          description={ROLE_WORDS[form.values.role].may}
          data={ROLE_OPTIONS}
          {...form.getInputProps("role")}
        />
        <FormButtons submit="Invite" busy={create.isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}

function Made({ invitation, onDone }: { invitation: CreatedInvitation; onDone: () => void }) {
  return (
    <Stack gap="md">
      {invitation.link === null ? (
        <Text size="sm">{invitation.email} gets an email with a link, which works once and for seven days.</Text>
      ) : (
        <>
          <Text size="sm">
            Send this link to {invitation.email}. It works once and for seven days, and is not shown again. The person
            who opens it becomes a member.
          </Text>
          <SecretValue label="Invitation link" value={invitation.link} />
        </>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
