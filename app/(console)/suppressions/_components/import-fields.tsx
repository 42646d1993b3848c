"use client";

import { Button, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { sharedTexts } from "@/app/_texts/shared";
import { importSuppressionsTexts as texts } from "@/app/_texts/suppressions/import";
import { Choice } from "@/app/_ui/forms/choice";
import { IconFileText } from "@/app/_ui/icons/icons";
import type { NumberList } from "../../_numbers/number-list";
import { UploadButton } from "../../_numbers/upload-button";

const FILE_MAX_MB = 10;
const NOTE_MAX = 255;

/** The text of a list. `fileName` null: it was pasted. */
export type ListSource = { text: string; fileName: string | null };

/** `senderId`: for all numbers, empty for all senders, unless `column` has a sender ID for each. */
export type SuppressedFor = { senderId: string; column: number | null; note: string };

/** Fields of an import: the list, its columns, and what the suppressions have in common. */
export function SourceFields({
  source,
  onSource,
  list,
  numberColumn,
  onNumberColumn,
  chosen,
  onChosen,
  senderIds,
}: {
  source: ListSource;
  onSource: (source: ListSource) => void;
  list: NumberList;
  numberColumn: number;
  onNumberColumn: (column: number) => void;
  chosen: SuppressedFor;
  onChosen: (chosen: SuppressedFor) => void;
  senderIds: readonly string[];
}) {
  const columns = list.columns.map((name, at) => ({ value: String(at), label: name }));
  return (
    <Stack gap="md">
      {source.fileName === null ? (
        <Textarea
          label={texts.source}
          description={texts.sourceHint}
          placeholder={"+14155550123\n+442071838750"}
          rows={5}
          resize="vertical"
          spellCheck={false}
          data-autofocus
          value={source.text}
          onChange={(event) => onSource({ text: event.currentTarget.value, fileName: null })}
        />
      ) : (
        <Group justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap" miw={0}>
            <IconFileText size={18} aria-hidden style={{ flex: "none" }} />
            <Text size="sm" fw={500} className="break-word">
              {source.fileName}
            </Text>
          </Group>
          <Button variant="subtle" size="xs" flex="none" onClick={() => onSource({ text: "", fileName: null })}>
            {texts.removeFile}
          </Button>
        </Group>
      )}
      <Group>
        <UploadButton maxMb={FILE_MAX_MB} onRead={({ name, text }) => onSource({ text, fileName: name })} />
      </Group>
      {columns.length > 0 && (
        <Group grow align="flex-end">
          <Choice
            label={texts.numberColumn}
            data={columns}
            value={String(numberColumn)}
            onChange={(column) => onNumberColumn(Number(column))}
          />
          <Choice
            label={texts.senderColumn}
            placeholder={sharedTexts.none}
            data={columns}
            value={chosen.column === null ? null : String(chosen.column)}
            onChange={(column) => onChosen({ ...chosen, column: column === null ? null : Number(column) })}
          />
        </Group>
      )}
      {chosen.column === null && (
        <Choice
          label={texts.from}
          description={texts.fromHint}
          placeholder={texts.allSenders}
          data={senderIds}
          value={chosen.senderId || null}
          onChange={(senderId) => onChosen({ ...chosen, senderId: senderId ?? "" })}
        />
      )}
      <TextInput
        label={texts.note}
        description={texts.noteHint}
        autoComplete="off"
        maxLength={NOTE_MAX}
        value={chosen.note}
        onChange={(event) => onChosen({ ...chosen, note: event.currentTarget.value })}
      />
    </Stack>
  );
}
