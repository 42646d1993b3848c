"use client";

import { eventsTexts as texts } from "@/app/_texts/events";
import { Dialog } from "@/app/_ui/forms/dialog";
import { CodeBlock } from "@/app/_ui/values/code-block";
import type { AnyEvent } from "@/server/webhooks/schema";

const INDENT = 2;

/** Shows the JSON of an event as webhooks send it. */
export function EventDialog({ event, opened, onClose }: { event: AnyEvent; opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} size="lg" title={texts.dialog.title(event.type)}>
      <CodeBlock value={JSON.stringify(event, null, INDENT)} copyLabel={texts.dialog.copyPayload} maxHeight={520} />
    </Dialog>
  );
}
