import { Button, Group, Text } from "@mantine/core";
import { formsTexts as texts } from "@/app/_texts/ui/forms";
import type { RestoredDraft } from "./use-draft";

/** Says above a form that it begins with a draft, which its button drops. */
export function DraftNote({ draft: { isRestored, discard } }: { draft: RestoredDraft }) {
  if (!isRestored) return null;
  return (
    <Group gap="xs" role="note" aria-label={texts.draft.label}>
      <Text size="sm" c="dimmed">
        {texts.draft.restored}
      </Text>
      <Button
        variant="subtle"
        size="compact-sm"
        onClick={({ currentTarget: { form } }) => {
          // The button disappears, and would take the focus with it.
          (form ?? document)
            .querySelector<HTMLElement>(':is(main, form) :is(input:not([type="file"]), textarea, select)')
            ?.focus();
          discard();
        }}
      >
        {texts.draft.discard}
      </Button>
    </Group>
  );
}
