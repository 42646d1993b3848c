"use client";

import { useRef } from "react";
import { eventsTexts as texts } from "@/app/_texts/events";
import { Dialog } from "@/app/_ui/forms/dialog";
import { CodeBlock } from "@/app/_ui/values/code-block";
import type { AnyEvent } from "@/server/webhooks/schema";

const INDENT = 2;

/** Shows the JSON of an event as webhooks send it; null: closed. */
export function EventDialog({ event, onClose }: { event: AnyEvent | null; onClose: () => void }) {
  // The dialog keeps its content while it fades out.
  const shown = useRef(event);
  if (event) shown.current = event;
  return (
    <Dialog
      opened={event !== null}
      onClose={onClose}
      size="lg"
      title={shown.current && texts.dialog.title(shown.current.type)}
    >
      <CodeBlock
        value={JSON.stringify(shown.current, null, INDENT)}
        copyLabel={texts.dialog.copyPayload}
        maxHeight={520}
      />
    </Dialog>
  );
}
