"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { endpointTexts as texts } from "@/app/_texts/webhooks/endpoint";
import { lazily } from "@/app/_ui/connection/connection";
import { FormModal } from "@/app/_ui/forms/form-modal";
import { IconHistory } from "@/app/_ui/icons/icons";

const RecoverForm = lazily(() => import("./recover-form").then((file) => ({ default: file.RecoverForm })));

/** Sends the events again that the endpoint missed since a point in time. */
export function RecoverEventsButton({ endpointId }: { endpointId: string }) {
  const [opened, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" leftSection={<IconHistory size={16} />} onClick={dialog.open}>
        {texts.recover.button}
      </Button>
      <FormModal opened={opened} onClose={dialog.close} title={texts.recover.title}>
        <RecoverForm endpointId={endpointId} onDone={dialog.close} />
      </FormModal>
    </>
  );
}
