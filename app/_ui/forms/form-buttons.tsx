import { Button, Group } from "@mantine/core";
import { sharedTexts } from "@/app/_texts/shared";

/** The buttons at the end of a form in a dialog: Cancel, and the one that submits it. */
export function FormButtons({ submit, busy, onCancel }: { submit: string; busy: boolean; onCancel: () => void }) {
  return (
    <Group className="dialog-foot" justify="flex-end" gap="sm">
      <Button variant="default" onClick={onCancel}>
        {sharedTexts.cancel}
      </Button>
      <Button type="submit" loading={busy}>
        {submit}
      </Button>
    </Group>
  );
}
