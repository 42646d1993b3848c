"use client";

import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { forgottenPasswordTexts as texts } from "@/app/_texts/auth/forgotten-password";
import { trpc } from "@/app/_trpc/client";
import { useSingle } from "@/app/_ui/changes/use-single";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { PageLink } from "@/app/_ui/frame/page-link";
import { IconLock, IconMail } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { QueryState } from "@/app/_ui/lists/query-state";
import { FormHeading } from "../form-heading";

const SignInButton = () => <LinkButton href="/sign-in">{texts.goToSignIn}</LinkButton>;

/** Asks for a link to choose another password, where the installation sends emails. */
export function ForgottenPasswordForm() {
  const state = trpc.auth.signUpState.useQuery();
  return (
    <QueryState query={state}>
      {({ reset_by_mail }) =>
        reset_by_mail ? (
          <AddressForm />
        ) : (
          <EmptyState isPage icon={IconLock} title={texts.askOperator.title} action={<SignInButton />}>
            {texts.askOperator.reason}
          </EmptyState>
        )
      }
    </QueryState>
  );
}

function AddressForm() {
  const utils = trpc.useUtils();
  const request = useSingle(utils.client.auth.requestReset.mutate);
  const form = useForm({ mode: "controlled", initialValues: { email: "" } });
  const errors = useFormErrors(form);
  const submit = form.onSubmit((values) => {
    errors.clear();
    request.mutate(values, {
      onError: errors.show,
    });
  });
  if (request.isSuccess) {
    return (
      <EmptyState isPage icon={IconMail} title={texts.sent.title} action={<SignInButton />}>
        {texts.sent.hint}
      </EmptyState>
    );
  }
  return (
    <form method="post" onSubmit={submit} noValidate aria-label={texts.pageTitle}>
      <Stack gap="md">
        <FormHeading title={texts.title}>{texts.promise}</FormHeading>
        <SaveAlert error={errors.unplaced} title={texts.failed} unknown={texts.unknown} again={texts.again} />
        <TextInput label={texts.email} type="email" autoComplete="username" {...form.getInputProps("email")} />
        <Button type="submit" fullWidth loading={request.isPending}>
          {texts.submit}
        </Button>
        <Text size="sm" ta="center">
          <Anchor component={PageLink} href="/sign-in">
            {texts.backToSignIn}
          </Anchor>
        </Text>
      </Stack>
    </form>
  );
}
