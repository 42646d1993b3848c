"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { messageTexts } from "@/app/_texts/messages/detail";
import { lazily } from "@/app/_ui/connection/connection";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { IconCalendarClock } from "@/app/_ui/icons/icons";
import type { Message } from "@/server/messages/schema";

const RescheduleForm = lazily(() => import("./reschedule-form").then((file) => ({ default: file.RescheduleForm })));

/** Opens a dialog with the time of a scheduled message. */
export function RescheduleButton({ message }: { message: Message }) {
  const [opened, dialog] = useDisclosure(false);
  const texts = messageTexts.reschedule;
  return (
    <>
      <Button variant="default" leftSection={<IconCalendarClock size={16} aria-hidden />} onClick={dialog.open}>
        {texts.button}
      </Button>
      <FormModal opened={opened} onClose={dialog.close} title={texts.title(message.to)}>
        <RescheduleForm message={message} onDone={dialog.close} />
      </FormModal>
    </>
  );
}
