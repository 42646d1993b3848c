"use client";

import { Button, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { messageTexts } from "@/app/_texts/messages/detail";
import { sendTimeTexts } from "@/app/_texts/ui/send-time";
import { trpc } from "@/app/_trpc/client";
import { useChange } from "@/app/_ui/changes/use-change";
import { SaveAlert } from "@/app/_ui/forms/error-alert";
import { FormButtons } from "@/app/_ui/forms/form-buttons";
import { useFormErrors } from "@/app/_ui/forms/use-form-errors";
import { QuietHoursChoice } from "@/app/_ui/send-time/quiet-hours-choice";
import { isoOf, localOf, SendTime, sendAtProblem } from "@/app/_ui/send-time/send-time";
import { toastDone } from "@/app/_ui/toast";
import { isScheduled } from "@/app/_ui/values/message-status-badge";
import type { Message } from "@/server/messages/schema";
import { localTime } from "./local-time";

/** Gives a scheduled message another time, or sends it now. */
export function RescheduleForm({ message, onDone }: { message: Message; onDone: () => void }) {
  const { id, to, scheduled_at } = message;
  const texts = messageTexts.reschedule;
  const utils = trpc.useUtils();
  const reschedule = useChange(utils.client.messages.reschedule.mutate, {
    look: async () => {
      const found = await utils.client.messages.get.query({ id });
      return found.scheduled_at === scheduled_at ? undefined : found;
    },
    late: { failed: texts.notDone, unknown: texts.unknown, next: texts.again },
    onSettled: () => utils.messages.invalidate(),
  });
  const form = useForm({
    mode: "controlled",
    initialValues: { send_at: localOf(new Date(scheduled_at ?? "")), ignoresQuietHours: false },
    validate: { send_at: (local) => (local === "" ? sendTimeTexts.enterTime : sendAtProblem(local)) },
  });
  const errors = useFormErrors(form);

  /** @param send_at null: now. */
  const move = (send_at: string | null) => {
    errors.clear();
    const quiet_hours = form.values.ignoresQuietHours ? ("ignore" as const) : undefined;
    reschedule.mutate(
      { id, send_at, quiet_hours },
      {
        onError: errors.show,
        onSuccess: (moved) => {
          // Quiet hours may have put it off.
          const isLater = isScheduled(moved) && moved.scheduled_at !== null;
          toastDone(isLater ? texts.done(to, localTime(moved.scheduled_at ?? "")) : texts.sentNow(to));
          onDone();
        },
      },
    );
  };

  return (
    <form onSubmit={form.onSubmit(({ send_at }) => move(isoOf(send_at)))} noValidate aria-label={texts.form}>
      <Stack gap="md">
        <SaveAlert error={errors.unplaced} title={texts.notDone} unknown={texts.unknown} again={texts.again} />
        <Text size="sm">{texts.keeps}</Text>
        <SendTime label={texts.newTime} data-autofocus withAsterisk {...form.getInputProps("send_at")} />
        <QuietHoursChoice putOffTo={null} {...form.getInputProps("ignoresQuietHours", { type: "checkbox" })} />
        <FormButtons submit={texts.submit} busy={reschedule.isPending} onCancel={onDone}>
          <Button variant="default" loading={reschedule.isPending} onClick={() => move(null)}>
            {texts.sendNow}
          </Button>
        </FormButtons>
      </Stack>
    </form>
  );
}
