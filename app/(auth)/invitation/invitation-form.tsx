"use client";

import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { invitationTexts as texts } from "@/app/_texts/auth/invitation";
import { trpc } from "@/app/_trpc/client";
import { carriedOut, triedAgain } from "@/app/_ui/changes/outcome";
import { useSingle } from "@/app/_ui/changes/use-single";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { NewPasswordInput } from "@/app/_ui/forms/new-password-input";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { IconLinkOff } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { QueryState } from "@/app/_ui/lists/query-state";
import type { AcceptedInvitation, AcceptInvitationInput, OpenInvitation } from "@/server/members/schema";
import { FormHeading } from "../form-heading";
import { openSession } from "../sign-in/credentials";
import { findJoined, ifOver, OVER } from "./find-joined";

const INITIAL: Entry = { name: "", password: "" };

/** Lets the owner of an email address become a member with the link that they were sent. */
export function InvitationForm() {
  const token = useSearchParams().get("token") ?? "";
  const invitation = trpc.members.invitations.get.useQuery({ token }, { enabled: token !== "", staleTime: Infinity });
  if (token === "" || ifOver(invitation.error)) return <End texts={texts.over} />;
  return <QueryState query={invitation}>{(open) => <Acceptance token={token} invitation={open} />}</QueryState>;
}

/** Shown instead of the form when there is nothing left to enter. */
const End = ({ texts: { title, reason } }: { texts: { title: string; reason: string } }) => (
  <EmptyState
    icon={IconLinkOff}
    isPage
    title={title}
    action={<LinkButton href="/sign-in">{texts.goToSignIn}</LinkButton>}
  >
    {reason}
  </EmptyState>
);

type Entry = { name: string; password: string };
type Joined = "joined" | "not joined" | "unknown";

/** Accepts an invitation, and opens a session in the new account. */
function useAcceptance(token: string, { account_id, email }: OpenInvitation) {
  const { client } = trpc.useUtils();
  const [tryToAccept] = useState(() =>
    triedAgain<AcceptInvitationInput, AcceptedInvitation | typeof OVER>(
      client.members.invitations.accept.mutate,
      ifOver,
    ),
  );
  const lookWhetherOver = () => client.members.invitations.get.query({ token }).then(() => undefined, throwUnlessOver);
  return useSingle(async ({ name, password }: Entry): Promise<Joined> => {
    const accepted = await carriedOut(() => tryToAccept({ token, name, password }), lookWhetherOver);
    const open = () => openSession(email, password);
    const joined =
      accepted === OVER ? await findJoined({ account_id }, open, () => client.members.memberships.query()) : "joined";
    if (joined !== "joined") return joined;
    // Somebody with an authenticator app signs in by hand.
    if (accepted !== OVER && (await open()) !== null) window.location.assign("/sign-in");
    else {
      await client.members.switchAccount.mutate({ account_id }).catch(() => undefined);
      window.location.assign("/");
    }
    return joined;
  });
}

function throwUnlessOver(error: unknown): typeof OVER {
  const over = ifOver(error);
  if (!over) throw error;
  return over;
}

function Acceptance({ token, invitation }: { token: string; invitation: OpenInvitation }) {
  const acceptance = useAcceptance(token, invitation);
  if (acceptance.data === "not joined") return <End texts={texts.over} />;
  if (acceptance.data === "unknown") return <End texts={texts.unknownEnd(invitation.account_name)} />;
  return <AcceptForm acceptance={acceptance} invitation={invitation} />;
}

function AcceptForm({
  acceptance,
  invitation,
}: {
  acceptance: ReturnType<typeof useAcceptance>;
  invitation: OpenInvitation;
}) {
  const form = useForm({ mode: "controlled", initialValues: INITIAL });
  const errors = useFormErrors(form);
  const { email, role, account_name, has_password } = invitation;

  const submit = form.onSubmit((values) => {
    errors.clear();
    acceptance.mutate(values, { onError: errors.show });
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
        <Button type="submit" fullWidth loading={acceptance.isPending || acceptance.isSuccess}>
          {texts.submit}
        </Button>
      </Stack>
    </form>
  );
}
