"use client";

import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { invitationTexts as texts } from "@/app/_texts/auth/invitation";
import { trpc } from "@/app/_trpc/client";
import { carriedOut } from "@/app/_ui/changes/outcome";
import { useSingle } from "@/app/_ui/changes/use-single";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { NewPasswordInput } from "@/app/_ui/forms/new-password-input";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { IconLinkOff } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { QueryState } from "@/app/_ui/lists/query-state";
import type { OpenInvitation } from "@/server/members/schema";
import { FormHeading } from "../form-heading";
import { openSession } from "../sign-in/credentials";

const INITIAL = { name: "", password: "" };

/** Lets the owner of an email become a member, by the link that they were sent. */
export function InvitationForm() {
  const token = useSearchParams().get("token") ?? "";
  const invitation = trpc.members.invitations.get.useQuery({ token }, { enabled: token !== "", staleTime: Infinity });
  if (token === "" || apiErrorOf(invitation.error).reason === "invitation_over") {
    return (
      <EmptyState
        icon={IconLinkOff}
        isPage
        title={texts.over.title}
        action={<LinkButton href="/sign-in">{texts.over.goToSignIn}</LinkButton>}
      >
        {texts.over.reason}
      </EmptyState>
    );
  }
  return <QueryState query={invitation}>{(open) => <AcceptForm token={token} invitation={open} />}</QueryState>;
}

/** Opens a session in the new account. Somebody with an authenticator app signs in by hand. */
async function enter(email: string, password: string, open: () => Promise<unknown>): Promise<void> {
  if ((await openSession(email, password)) !== null) return window.location.assign("/sign-in");
  await open().catch(() => undefined);
  window.location.assign("/");
}

/** An invitation that was open a moment ago, and is over, was accepted; of which account is not known then. */
const ifAccepted = (read: () => Promise<unknown>): Promise<{ account_id: string | null } | undefined> =>
  read().then(
    () => undefined,
    (error: unknown) => {
      if (apiErrorOf(error).reason === "invitation_over") return { account_id: null };
      throw error;
    },
  );

function AcceptForm({ token, invitation }: { token: string; invitation: OpenInvitation }) {
  const utils = trpc.useUtils();
  const accept = useSingle(utils.client.members.invitations.accept.mutate);
  const open = trpc.members.switchAccount.useMutation();
  const [entering, setEntering] = useState(false);
  const form = useForm({ mode: "controlled", initialValues: INITIAL });
  const errors = useFormErrors(form);
  const { email, role, account_name, has_password } = invitation;

  const submit = form.onSubmit(async ({ name, password }) => {
    errors.clear();
    try {
      const { account_id } = await carriedOut(
        () => accept.mutateAsync({ token, name, password }),
        () => ifAccepted(() => utils.client.members.invitations.get.query({ token })),
      );
      setEntering(true);
      await enter(email, password, async () => account_id && open.mutateAsync({ account_id }));
    } catch (error) {
      errors.show(error);
    }
  });

  return (
    <form method="post" onSubmit={submit} noValidate aria-label={texts.label}>
      <Stack gap="md">
        <FormHeading title={texts.join(account_name)}>
          {texts.invitedAs[role]} {has_password ? texts.enterPassword : texts.choosePassword}
        </FormHeading>
        <SaveAlert error={errors.unplaced} title={texts.failed} unknown={texts.unknown} again={texts.again} />
        {!has_password && (
          <TextInput label={texts.name} autoComplete="name" data-autofocus {...form.getInputProps("name")} />
        )}
        <TextInput label={texts.email} type="email" autoComplete="username" value={email} readOnly />
        {has_password ? (
          <PasswordInput label={texts.password} autoComplete="current-password" {...form.getInputProps("password")} />
        ) : (
          <NewPasswordInput label={texts.password} {...form.getInputProps("password")} />
        )}
        <Button type="submit" fullWidth loading={accept.isPending || entering}>
          {texts.submit}
        </Button>
      </Stack>
    </form>
  );
}
