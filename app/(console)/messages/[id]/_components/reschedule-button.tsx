"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { messageTexts } from "@/app/_texts/messages/detail";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { IconCalendarClock } from "@/app/_ui/icons/icons";
import type { Message } from "@/server/messages/schema";
import { RescheduleForm } from "./reschedule-form";

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
