"use client";

import { ActionIcon, Group, Input, Paper, Stack, Text } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { routesTexts as texts } from "@/app/_texts/operator/routes";
import { Choice } from "@/app/_ui/forms/choice";
import { IconArrowDown, IconArrowUp, IconX } from "@/app/_ui/icons/icons";
import { providerName } from "@/app/_ui/values/provider-name";
import { PROVIDERS } from "@/server/providers/schema";

/** Moves the entry at `at` by `step`. */
function moved(chain: readonly string[], at: number, step: 1 | -1): string[] {
  const next = [...chain];
  const [entry] = next.splice(at, 1);
  if (entry !== undefined) next.splice(at + step, 0, entry);
  return next;
}

/** Edits a chain: providers in the order in which they are tried. */
export function ChainInput({
  value,
  error,
  onChange,
}: {
  value: string[];
  error?: ReactNode;
  onChange: (chain: string[]) => void;
}) {
  const labelId = useId();
  const addable = PROVIDERS.filter((provider) => !value.includes(provider));
  return (
    <Stack gap="xs">
      <div>
        <Text id={labelId} size="sm" fw={500}>
          {texts.providersInOrder}
        </Text>
        <Text size="xs" c="dimmed">
          {texts.edit.chainHint}
        </Text>
      </div>
      {value.length > 0 && (
        <ol className="plain-list" aria-labelledby={labelId}>
          {value.map((provider, at) => (
            <li key={provider}>
              <ChainEntry
                name={providerName(provider)}
                place={at + 1}
                isLast={at === value.length - 1}
                onMove={(step) => onChange(moved(value, at, step))}
                onRemove={() => onChange(value.filter((entry) => entry !== provider))}
              />
            </li>
          ))}
        </ol>
      )}
      {addable.length > 0 && (
        <Choice
          aria-label={texts.edit.addProvider}
          placeholder={texts.edit.addProvider}
          data={addable.map((provider) => ({ value: provider, label: providerName(provider) }))}
          value={null}
          onChange={(provider) => provider && onChange([...value, provider])}
        />
      )}
      {error && <Input.Error>{error}</Input.Error>}
    </Stack>
  );
}

function ChainEntry({
  name,
  place,
  isLast,
  onMove,
  onRemove,
}: {
  name: string;
  place: number;
  isLast: boolean;
  onMove: (step: 1 | -1) => void;
  onRemove: () => void;
}) {
  return (
    <Paper withBorder px="sm" py={6} mb={6}>
      <Group wrap="nowrap" gap="xs">
        <Text size="sm" c="dimmed" className="tabular" w={18}>
          {place}
        </Text>
        <Text size="sm" fw={500} flex={1} className="clip">
          {name}
        </Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.edit.moveUp(name)}
          disabled={place === 1}
          onClick={() => onMove(-1)}
        >
          <IconArrowUp size={16} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.edit.moveDown(name)}
          disabled={isLast}
          onClick={() => onMove(1)}
        >
          <IconArrowDown size={16} />
        </ActionIcon>
        <ActionIcon variant="subtle" color="red" aria-label={texts.edit.remove(name)} onClick={onRemove}>
          <IconX size={16} />
        </ActionIcon>
      </Group>
    </Paper>
  );
}
