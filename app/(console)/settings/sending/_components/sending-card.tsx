import { Anchor, Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import type { FormEventHandler, ReactNode } from "react";
import { SiteLink } from "@/app/_ui/frame/site-link";

type Props = {
  id: string;
  title: string;
  explanation: ReactNode;
  onSubmit: FormEventHandler<HTMLFormElement>;
  /** Text of the button; null: the person may not save. */
  submit: string | null;
  isBusy: boolean;
  /** Shown in place of the button: who may save. */
  reserved: string;
  children: ReactNode;
};

/** A card of settings with its form: title, explanation, fields, and the button that saves them. */
export function SendingCard({ id, title, explanation, onSubmit, submit, isBusy, reserved, children }: Props) {
  return (
    <Card component="section" aria-labelledby={id} padding="lg">
      <form onSubmit={onSubmit} noValidate aria-label={title}>
        <Stack gap="md" maw={560}>
          <Stack gap={4}>
            <Title order={2} size="h4" id={id}>
              {title}
            </Title>
            <Text size="sm" c="dimmed">
              {explanation}
            </Text>
          </Stack>
          {children}
          {submit === null ? (
            <Text size="sm" c="dimmed">
              {reserved}
            </Text>
          ) : (
            <Group>
              <Button type="submit" loading={isBusy}>
                {submit}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Card>
  );
}

/** A link from the explanation to a section of the guide to sending. */
export const sendingGuide = (section: string) => (words: string) => (
  <Anchor component={SiteLink} href={`/docs/sending#${section}`} underline="always" inherit>
    {words}
  </Anchor>
);
