"use client";

import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { signUpTexts as texts } from "@/app/_texts/auth/sign-up";
import { sharedTexts } from "@/app/_texts/shared";
import { trpc } from "@/app/_trpc/client";
import { isUnknown } from "@/app/_ui/changes/outcome";
import { useSingle } from "@/app/_ui/changes/use-single";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { NewPasswordInput } from "@/app/_ui/forms/new-password-input";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { LinkButton } from "@/app/_ui/frame/link-button";
import { PageLink } from "@/app/_ui/frame/page-link";
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
            title={texts.closed.title}
            action={<LinkButton href="/sign-in">{texts.closed.goToSignIn}</LinkButton>}
          >
            {texts.closed.reason}
          </EmptyState>
        )
      }
    </QueryState>
  );
}

function OpenForm() {
  const utils = trpc.useUtils();
  const signUp = useSingle(utils.client.auth.signUp.mutate);
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
      // The response alone may be lost, and the account be there.
      const isThere = isUnknown(error) && (await openSession(values.email, values.password)) === null;
      if (isThere) return window.location.assign("/");
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
        <FormHeading title={texts.title}>{texts.promise}</FormHeading>
        <SaveAlert error={errors.unplaced} title={texts.failed} unknown={texts.unknown} again={texts.again} />
        {isRefused && <Notice title={texts.notSignedIn.title}>{texts.notSignedIn.reason}</Notice>}
        <TextInput
          label={texts.name}
          autoComplete="name"
          required
          withAsterisk={false}
          key={form.key("name")}
          {...form.getInputProps("name")}
        />
        <TextInput
          label={texts.company}
          description={sharedTexts.optional}
          autoComplete="organization"
          key={form.key("company_name")}
          {...form.getInputProps("company_name")}
        />
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          key={form.key("email")}
          {...form.getInputProps("email")}
        />
        <NewPasswordInput
          label={texts.password}
          required
          withAsterisk={false}
          key={form.key("password")}
          {...form.getInputProps("password")}
        />
        <Button type="submit" fullWidth loading={signUp.isPending || entering}>
          {texts.submit}
        </Button>
        <Text size="sm" ta="center" c="dimmed">
          {texts.haveAccount((words) => (
            <Anchor component={PageLink} href="/sign-in">
              {words}
            </Anchor>
          ))}
        </Text>
      </Stack>
    </form>
  );
}
