import { useTimeout } from "@mantine/hooks";
import { type MouseEvent, useState } from "react";
import { copy } from "./copy";

const SHOWN_FOR_MS = 1_500;

/**
 * The state of a button that copies `value`: whether it has just done so, and its click handler.
 * @param onCopied called when the value was copied.
 */
export function useCopy(value: string, onCopied?: () => void) {
  const [isCopied, setCopied] = useState(false);
  const { start, clear } = useTimeout(() => setCopied(false), SHOWN_FOR_MS);
  const onClick = async ({ currentTarget }: MouseEvent<HTMLElement>) => {
    if (!(await copy(value, currentTarget))) return;
    setCopied(true);
    onCopied?.();
    clear();
    start();
  };
  return { isCopied, onClick };
}
