"use client";

import { ActionIcon, Button, Kbd } from "@mantine/core";
import { useDisclosure, useOs, useWindowEvent } from "@mantine/hooks";
import { Suspense, useState } from "react";
import { shellTexts as texts } from "@/app/_texts/shell/shell";
import { lazily } from "@/app/_ui/connection/connection";
import { IconSearch } from "@/app/_ui/icons/icons";

/** Loaded when it is opened for the first time. */
const SearchDialog = lazily(() => import("./search-dialog").then((file) => ({ default: file.SearchDialog })));

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));

/** Ctrl-K or Cmd-K anywhere, and `/` outside fields, whichever key types it. */
const asksForSearch = ({ key, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent): boolean =>
  key === "/"
    ? !ctrlKey && !metaKey && !altKey && !isTyping(target)
    : key.toLowerCase() === "k" && ctrlKey !== metaKey && !altKey && !shiftKey;

/** The button that opens the search of the whole console; Ctrl-K, Cmd-K and `/` open it too. */
export function SearchButton({ isOperator }: { isOperator: boolean }) {
  const [opened, dialog] = useDisclosure(false);
  const [isNeeded, setNeeded] = useState(false);
  const modKey = useOs() === "macos" ? "⌘" : "Ctrl";
  const open = () => {
    setNeeded(true);
    dialog.open();
  };
  useWindowEvent("keydown", (event) => {
    if (!asksForSearch(event)) return;
    // A dialog may hold what was entered: going elsewhere would lose it.
    const isBehindDialog = document.querySelector('[aria-modal="true"]') !== null;
    event.preventDefault();
    if (!isBehindDialog) open();
  });
  return (
    <>
      <Button
        visibleFrom="sm"
        variant="default"
        size="xs"
        radius="xl"
        fw={400}
        c="dimmed"
        leftSection={<IconSearch size={16} stroke={1.7} aria-hidden />}
        rightSection={
          <Kbd size="xs" aria-hidden>
            {modKey} K
          </Kbd>
        }
        aria-keyshortcuts="Control+K Meta+K /"
        onClick={open}
      >
        {texts.search}
      </Button>
      <ActionIcon
        hiddenFrom="sm"
        variant="subtle"
        color="gray"
        size="lg"
        radius="xl"
        aria-label={texts.search}
        onClick={open}
      >
        <IconSearch size={19} stroke={1.7} aria-hidden />
      </ActionIcon>
      {isNeeded && (
        <Suspense>
          <SearchDialog opened={opened} onClose={dialog.close} isOperator={isOperator} />
        </Suspense>
      )}
    </>
  );
}
