"use client";

import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
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

/** The sign-up form, or a note on how to get an account where sign-up is closed. */
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
  /** Resolves to whether the person is signed in. */
  const signUp = useSingle(async (values: typeof INITIAL) => {
    const isSignedIn = async () => (await openSession(values.email, values.password)) === null;
    try {
      await utils.client.auth.signUp.mutate(values);
    } catch (error) {
      // The account may exist although the response was lost.
      if (isUnknown(error) && (await isSignedIn())) return true;
      throw error;
    }
    return isSignedIn();
  });
  const form = useForm({ mode: "controlled", initialValues: INITIAL });
  const errors = useFormErrors(form);

  function submit(values: typeof INITIAL) {
    errors.clear();
    signUp.mutate(values, {
      onSuccess: (isSignedIn) => isSignedIn && window.location.assign("/"),
      onError: errors.show,
    });
  }

  return (
    <form method="post" onSubmit={form.onSubmit(submit)}>
      <Stack gap="md">
        <FormHeading title={texts.title}>{texts.promise}</FormHeading>
        <SaveAlert error={errors.unplaced} title={texts.failed} unknown={texts.unknown} again={texts.again} />
        {signUp.data === false && <Notice title={texts.notSignedIn.title}>{texts.notSignedIn.reason}</Notice>}
        <TextInput
          label={texts.name}
          autoComplete="name"
          required
          withAsterisk={false}
          {...form.getInputProps("name")}
        />
        <TextInput
          label={texts.company}
          description={sharedTexts.optional}
          autoComplete="organization"
          {...form.getInputProps("company_name")}
        />
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          {...form.getInputProps("email")}
        />
        <NewPasswordInput label={texts.password} required withAsterisk={false} {...form.getInputProps("password")} />
        <Button type="submit" fullWidth loading={signUp.isPending || signUp.data === true}>
          {texts.submit}
        </Button>
        <Text size="sm" ta="center" c="dimmed">
          {texts.haveAccount((words) => (
            <Anchor component={PageLink} href="/sign-in" underline="always">
              {words}
            </Anchor>
          ))}
        </Text>
      </Stack>
    </form>
  );
}
