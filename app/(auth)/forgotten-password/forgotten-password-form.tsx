"use client";

import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import Link from "next/link";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { IconLock, IconMail } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { QueryState } from "@/app/_ui/lists/query-state";
import { FormHeading } from "../form-heading";

const signIn = <LinkButton href="/sign-in">Go to sign-in</LinkButton>;

/** Asks for a link to choose another password, where the installation sends emails. */
export function ForgottenPasswordForm() {
  const state = trpc.auth.signUpState.useQuery();
  return (
    <QueryState query={state}>
      {({ reset_by_mail }) =>
        reset_by_mail ? (
          <AddressForm />
        ) : (
          <EmptyState isPage icon={IconLock} title="Ask the operator" action={signIn}>
            The operator of this installation makes links to choose another password.
          </EmptyState>
        )
      }
    </QueryState>
  );
}

function AddressForm() {
  const request = trpc.auth.requestReset.useMutation();
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
      <EmptyState isPage icon={IconMail} title="Check your email" action={signIn}>
        If this address belongs to an account, a link is on its way. It works once, within an hour.
      </EmptyState>
    );
  }
  return (
    <form method="post" onSubmit={submit} noValidate aria-label="Forgotten password">
      <Stack gap="md">
        <FormHeading title="Forgotten your password?">We’ll email you a link to choose a new one.</FormHeading>
        <ErrorAlert error={errors.unplaced} title="The link was not sent" />
        <TextInput label="Email" type="email" autoComplete="username" {...form.getInputProps("email")} />
        <Button type="submit" fullWidth loading={request.isPending}>
          Send me a link
        </Button>
        <Text size="sm" ta="center">
          <Anchor component={Link} href="/sign-in">
            Back to sign-in
          </Anchor>
        </Text>
      </Stack>
    </form>
  );
}
