"use client";

import { Button, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { resetPasswordTexts as texts } from "@/app/_texts/auth/reset-password";
import { trpc } from "@/app/_trpc/client";
import { isUnknown } from "@/app/_ui/changes/outcome";
import { useSingle } from "@/app/_ui/changes/use-single";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { NewPasswordInput } from "@/app/_ui/forms/new-password-input";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { IconAlertTriangle, IconCheck, IconLinkOff } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import type { ResetPasswordInput, SessionsRevoked } from "@/server/auth/schema";
import { FormHeading } from "../form-heading";

/** Takes a new password from somebody who has a link for it. */
export function ResetPasswordForm() {
  const token = useSearchParams().get("token") ?? "";
  const utils = trpc.useUtils();
  const [isUnsure, setUnsure] = useState(false);
  const reset = useSingle(utils.client.auth.resetPassword.mutate, {
    onError: (error) => isUnknown(error) && setUnsure(true),
  });
  const isOver = token === "" || apiErrorOf(reset.error).reason === "reset_link_over";
  const signIn = <LinkButton href="/sign-in">{texts.goToSignIn}</LinkButton>;
  if (reset.isSuccess) {
    return (
      <EmptyState isPage icon={IconCheck} title={texts.changed.title} action={signIn}>
        {texts.changed.hint}
      </EmptyState>
    );
  }
  // Most likely the try whose response was lost used the link; but the link may also have expired before that try arrived.
  if (isOver && isUnsure) {
    return (
      <EmptyState isPage icon={IconAlertTriangle} title={texts.unknown} action={signIn}>
        {texts.unknownEnd}
      </EmptyState>
    );
  }
  if (isOver) {
    return (
      <EmptyState isPage icon={IconLinkOff} title={texts.over.title} action={signIn}>
        {texts.over.reason}
      </EmptyState>
    );
  }
  return <NewPasswordForm token={token} reset={reset} />;
}

type ResetMutation = ReturnType<typeof useSingle<ResetPasswordInput, SessionsRevoked>>;

function NewPasswordForm({ token, reset }: { token: string; reset: ResetMutation }) {
  const form = useForm({ mode: "controlled", initialValues: { password: "" } });
  const errors = useFormErrors(form);

  const submit = form.onSubmit(({ password }) => {
    errors.clear();
    reset.mutate(
      { token, password },
      {
        onError: errors.show,
      },
    );
  });

  return (
    <form method="post" onSubmit={submit} noValidate aria-label={texts.label}>
      <Stack gap="md">
        <FormHeading title={texts.title}>{texts.warning}</FormHeading>
        <SaveAlert error={errors.unplaced} title={texts.failed} unknown={texts.unknown} again={texts.again} />
        <NewPasswordInput label={texts.newPassword} {...form.getInputProps("password")} />
        <Button type="submit" fullWidth loading={reset.isPending}>
          {texts.submit}
        </Button>
      </Stack>
    </form>
  );
}
