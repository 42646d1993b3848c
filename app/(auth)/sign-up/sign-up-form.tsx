"use client";

import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import Link from "next/link";
import { useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { NewPasswordInput } from "@/app/_ui/forms/new-password-input";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { IconLock } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { QueryState } from "@/app/_ui/lists/query-state";
import { Notice } from "@/app/_ui/notice";
import { FormHeading } from "../form-heading";
import { useLeaveWhenSignedIn } from "../leave-when-signed-in";
import { openSession } from "../sign-in/credentials";

const startPage = () => "/";
const INITIAL = { name: "", company_name: "", email: "", password: "" };

/** The form where the installation is open to new accounts, else a word on how to get one. */
export function SignUpForm() {
  const state = trpc.auth.signUpState.useQuery();
  useLeaveWhenSignedIn(startPage);
  return (
    <QueryState query={state}>
      {({ open }) =>
        open ? (
          <OpenForm />
        ) : (
          <EmptyState
            icon={IconLock}
            title="Sign-up is closed"
            action={<LinkButton href="/sign-in">Go to sign-in</LinkButton>}
          >
            New accounts are created by the operator of this installation. Ask them for one.
          </EmptyState>
        )
      }
    </QueryState>
  );
}

function OpenForm() {
  const signUp = trpc.auth.signUp.useMutation();
  const [entering, setEntering] = useState(false);
  const [isRefused, setIsRefused] = useState(false);
  const form = useForm({ mode: "uncontrolled", initialValues: INITIAL });
  const errors = useFormErrors(form);

  async function submit(values: typeof INITIAL) {
    errors.clear();
    setIsRefused(false);
    try {
      await signUp.mutateAsync(values);
    } catch (error) {
      errors.show(error);
      return;
    }
    setEntering(true);
    const refusal = await openSession(values.email, values.password);
    if (!refusal) return window.location.assign("/");
    setIsRefused(true);
    setEntering(false);
  }

  return (
    <form method="post" onSubmit={form.onSubmit(submit)}>
      <Stack gap="md">
        <FormHeading title="Create your account">Send your first message in a few minutes.</FormHeading>
        <ErrorAlert error={errors.unplaced} title="The account was not created" />
        {isRefused && (
          <Notice title="You could not be signed in">
            If this address has an account already, it keeps the password that it has: sign in with that one, or ask the
            operator for a link to choose another. Otherwise your account is ready: try to sign in again.
          </Notice>
        )}
        <TextInput
          label="Your name"
          autoComplete="name"
          required
          withAsterisk={false}
          key={form.key("name")}
          {...form.getInputProps("name")}
        />
        <TextInput
          label="Company"
          description="Optional"
          autoComplete="organization"
          key={form.key("company_name")}
          {...form.getInputProps("company_name")}
        />
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          key={form.key("email")}
          {...form.getInputProps("email")}
        />
        <NewPasswordInput
          label="Password"
          required
          withAsterisk={false}
          key={form.key("password")}
          {...form.getInputProps("password")}
        />
        <Button type="submit" fullWidth loading={signUp.isPending || entering}>
          Create account
        </Button>
        <Text size="sm" ta="center" c="dimmed">
          Already have an account?{" "}
          <Anchor component={Link} href="/sign-in">
            Sign in
          </Anchor>
        </Text>
      </Stack>
    </form>
  );
}
