"use client";

import { Button, Card, Group, Input, Stack, Text, TextInput, Title } from "@mantine/core";
import { useRouter } from "next/navigation";
import { profileTexts as texts } from "@/app/_texts/settings/profile";
import { trpc } from "@/app/_trpc/client";
import { ifHolds, isHeld } from "@/app/_ui/changes/outcome";
import { useChange } from "@/app/_ui/changes/use-change";
import { DraftNote } from "@/app/_ui/drafts/draft-note";
import { useFormDraft } from "@/app/_ui/drafts/use-draft";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { useStoredForm } from "@/app/_ui/forms/use-stored-form";
import { toastDone } from "@/app/_ui/toast";

/** The person's own name, which is the same in all their accounts. */
export function PersonCard({ name, email }: { name: string; email: string }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const rename = useChange(utils.client.auth.rename.mutate, {
    look: async (asked) => ifHolds(await utils.client.auth.viewer.query(), asked),
    late: { failed: texts.person.notSaved },
    onSettled: () => void Promise.all([utils.auth.viewer.invalidate(), utils.members.invalidate()]),
  });
  const stored = { name };
  const form = useStoredForm(stored);
  const draft = useFormDraft("person", form, stored);
  const errors = useFormErrors(form);
  const submit = form.onSubmit((values) => {
    errors.clear();
    rename.mutate(values, {
      onSuccess: () => {
        toastDone(texts.person.saved);
        form.resetDirty(values);
        // The account menu has the name from the layout.
        router.refresh();
      },
      onError: errors.show,
    });
  });
  return (
    <Card component="section" aria-labelledby="person" padding="lg">
      <form onSubmit={submit} noValidate aria-label={texts.person.name}>
        <Stack gap="md" maw={420}>
          <Title order={2} size="h4" id="person">
            {texts.person.title}
          </Title>
          <DraftNote draft={draft} />
          <SaveAlert
            error={errors.unplaced}
            title={texts.person.notSaved}
            isStored={isHeld(stored, rename.variables)}
          />
          <TextInput label={texts.person.name} autoComplete="name" {...form.getInputProps("name")} />
          {/* No field: a long address takes several lines. */}
          <Input.Wrapper label={texts.person.email} labelElement="div" description={texts.person.emailHint}>
            <Text size="sm" mt={6} className="break-word">
              {email}
            </Text>
          </Input.Wrapper>
          <Group>
            <Button type="submit" loading={rename.isPending}>
              {texts.person.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
