"use client";

import { Box, Group, Kbd, Loader, Text, TextInput, useMantineColorScheme, VisuallyHidden } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { searchTexts as texts } from "@/app/_texts/shell/search";
import { trpc } from "@/app/_trpc/client";
import { isOnline } from "@/app/_ui/connection/connection";
import { leaveBy } from "@/app/_ui/drafts/use-leave-question";
import { Dialog } from "@/app/_ui/forms/dialog";
import { IconSearch } from "@/app/_ui/icons/icons";
import { useMayChange } from "../may-change";
import { signOutHere } from "../sign-out";
import { type Choice, foundChoices, knownChoices } from "./choices";
import { SearchResults } from "./search-results";

const TYPING_DEBOUNCE_MS = 200;
const TEXT_MIN = 2;
const TEXT_MAX = 100;

type Props = { opened: boolean; onClose: () => void; isOperator: boolean };

/** The search of the whole console. */
export function SearchDialog({ opened, onClose, isOperator }: Props) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      centered={false}
      yOffset="12vh"
      size={600}
      attributes={{ content: { "aria-label": texts.label } }}
    >
      <SearchPanel isOperator={isOperator} onClose={onClose} />
    </Dialog>
  );
}

/** Results of the service for `text`. They are dropped once the search is closed. */
function useFound(text: string) {
  const [asked] = useDebouncedValue(text.trim(), TYPING_DEBOUNCE_MS);
  const enabled = asked.length >= TEXT_MIN;
  const query = trpc.search.find.useQuery(
    { text: asked },
    { enabled, placeholderData: keepPreviousData, gcTime: 0, retry: false },
  );
  const isAsking = text.trim().length >= TEXT_MIN && (asked !== text.trim() || query.isFetching);
  return { items: enabled ? (query.data?.items ?? []) : [], isAsking, hasFailed: enabled && query.isError };
}

function SearchPanel({ isOperator, onClose }: Omit<Props, "opened">) {
  const listId = useId();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const { items, isAsking, hasFailed } = useFound(text);
  const mayChange = useMayChange();
  const groups = [...foundChoices(items), ...knownChoices(text, { isOperator, mayChange })];
  const choices = groups.flatMap((group) => group.choices);
  const active = choices[Math.min(at, choices.length - 1)];
  const choose = useChoice(onClose);
  const optionIdOf = ({ id }: Choice) => `${listId}-${id}`;
  const activeId = active && optionIdOf(active);

  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || choices.length === 0) return;
    const from = Math.min(at, choices.length - 1);
    const to = { ArrowDown: from + 1, ArrowUp: from - 1 }[event.key];
    if (to !== undefined) setAt((to + choices.length) % choices.length);
    else if (event.key === "Enter" && active) choose(active);
    else return;
    event.preventDefault();
  };

  return (
    <>
      <TextInput
        variant="unstyled"
        size="lg"
        className="search-field"
        placeholder={texts.placeholder}
        leftSection={<IconSearch size={18} aria-hidden />}
        rightSection={isAsking ? <Loader size={16} aria-hidden /> : null}
        maxLength={TEXT_MAX}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        role="combobox"
        aria-label={texts.label}
        aria-expanded
        aria-autocomplete="list"
        aria-controls={listId}
        aria-activedescendant={activeId}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <SearchResults
        id={listId}
        groups={groups}
        activeId={activeId}
        optionIdOf={optionIdOf}
        onChoose={choose}
        onPoint={(choice) => setAt(choices.indexOf(choice))}
      />
      {choices.length === 0 && !isAsking && (
        <Text size="sm" c="dimmed" ta="center" px="md" py="xl">
          {hasFailed ? texts.failed : texts.nothingFound}
        </Text>
      )}
      <VisuallyHidden role="status">{isAsking ? texts.searching : texts.found(choices.length)}</VisuallyHidden>
      <Group gap="lg" px="md" py="xs" className="search-foot" aria-hidden visibleFrom="sm">
        <Hint keys={["↑", "↓"]}>{texts.toChoose}</Hint>
        <Hint keys={["Enter"]}>{texts.toOpen}</Hint>
        <Hint keys={["Esc"]}>{texts.toClose}</Hint>
      </Group>
    </>
  );
}

function Hint({ keys, children }: { keys: readonly string[]; children: string }) {
  return (
    <Group gap={6}>
      {keys.map((key) => (
        <Kbd key={key} size="xs">
          {key}
        </Kbd>
      ))}
      <Box component="span" c="dimmed" fz="xs">
        {children}
      </Box>
    </Group>
  );
}

/** Opens the page of a choice, or carries out its action. */
function useChoice(onClose: () => void): (choice: Choice) => void {
  const router = useRouter();
  const { setColorScheme } = useMantineColorScheme();
  return (choice) => {
    if ("href" in choice && !isOnline()) return;
    onClose();
    if ("href" in choice) leaveBy(() => router.push(choice.href));
    else if (choice.action === "sign-out") signOutHere();
    else setColorScheme(choice.action);
  };
}
