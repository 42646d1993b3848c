"use client";

import { ActionIcon } from "@mantine/core";
import { valuesTexts as texts } from "@/app/_texts/ui/values";
import { IconCheck, IconCopy } from "@/app/_ui/icons/icons";
import { Tooltip } from "../tooltip";
import { useCopy } from "./use-copy";

/** Copies `value` to the clipboard. `label` names the value, e.g. "Copy message id". */
export function CopyButton({ value, label = texts.copy }: { value: string; label?: string }) {
  const { isCopied, onClick } = useCopy(value);
  return (
    <Tooltip label={isCopied ? texts.copied : label}>
      <ActionIcon
        variant="subtle"
        color={isCopied ? "teal" : "gray"}
        aria-label={isCopied ? texts.copied : label}
        onClick={(event) => {
          event.stopPropagation();
          void onClick(event);
        }}
      >
        {isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}
