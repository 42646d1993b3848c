"use client";

import { Anchor, Button, Card, Group, SimpleGrid, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { ErrorAlert } from "@/app/_ui/forms/error-alert";
import { SiteLink } from "@/app/_ui/frame/site-link";
import { toastDone } from "@/app/_ui/toast";
import type { QuietHours } from "@/server/accounts/schema";

/** The hours that most rules against calls at night name. */
const USUAL: QuietHours = { starts_at: "21:00", ends_at: "08:00" };

/** Quiet hours of the account: on or off, start and end. */
export function QuietHoursCard({ hours, canEdit }: { hours: QuietHours | null; canEdit: boolean }) {
  const utils = trpc.useUtils();
  const save = trpc.accounts.setQuietHours.useMutation();
  const [unplaced, setUnplaced] = useState<unknown>(null);
  const form = useForm({
    mode: "controlled",
    initialValues: { isOn: hours !== null, ...(hours ?? USUAL) },
    validate: {
      starts_at: (starts, { isOn }) => (isOn && starts === "" ? "Enter a time" : null),
      ends_at: (ends, { isOn, starts_at }) => {
        if (isOn && ends === "") return "Enter a time";
        return isOn && ends === starts_at ? "Must differ from the start" : null;
      },
    },
  });
  const { isOn } = form.values;
  const submit = form.onSubmit(({ starts_at, ends_at }) => {
    setUnplaced(null);
    save.mutate(
      { quiet_hours: isOn ? { starts_at, ends_at } : null },
      {
        onSuccess: () => {
          toastDone(isOn ? "Quiet hours are saved" : "Quiet hours are off");
          return utils.accounts.get.invalidate();
        },
        onError: setUnplaced,
      },
    );
  });
  return (
    <Card component="section" aria-labelledby="quiet-hours" padding="lg">
      <form onSubmit={submit} noValidate aria-label="Quiet hours">
        <Stack gap="md" maw={480}>
          <Stack gap={4}>
            <Title order={2} size="h4" id="quiet-hours">
              Quiet hours
            </Title>
            <Text size="sm" c="dimmed">
              Messages accepted in these hours wait for their end, by the clock of each recipient. Urgent ones, such as
              one-time codes, can be sent anyway.{" "}
              <Anchor component={SiteLink} href="/docs/sending#quiet-hours" underline="always" inherit>
                How it works
              </Anchor>
            </Text>
          </Stack>
          <ErrorAlert error={unplaced} title="Quiet hours were not saved" />
          <Switch label="Keep quiet hours" disabled={!canEdit} {...form.getInputProps("isOn", { type: "checkbox" })} />
          {isOn && (
            <SimpleGrid cols={2} spacing="md">
              <TextInput label="From" type="time" readOnly={!canEdit} {...form.getInputProps("starts_at")} />
              <TextInput label="Until" type="time" readOnly={!canEdit} {...form.getInputProps("ends_at")} />
            </SimpleGrid>
          )}
          {canEdit ? (
            <Group>
              <Button type="submit" loading={save.isPending}>
                Save quiet hours
              </Button>
            </Group>
          ) : (
            <Text size="sm" c="dimmed">
              Only a developer or an owner can change this.
            </Text>
          )}
        </Stack>
      </form>
    </Card>
  );
}
