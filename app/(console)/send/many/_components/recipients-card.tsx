"use client";

import { Card, Group, NativeSelect, Stack, Text, Textarea, Title } from "@mantine/core";
import { sendManyTexts } from "@/app/_texts/send/many";
import { formatCount } from "@/app/_ui/values/count";
import type { NumberList } from "../../../_numbers/number-list";
import { UploadButton } from "../../../_numbers/upload-button";
import { ROWS_MAX } from "./batches";

const FILE_MAX_MB = 5;

/** Where the recipients come from: a pasted list, or a file. */
export function RecipientsCard({
  text,
  onText,
  list,
  column,
  onColumn,
}: {
  text: string;
  onText: (text: string) => void;
  list: NumberList;
  column: number;
  onColumn: (column: number) => void;
}) {
  const texts = sendManyTexts.recipients;
  const lines = list.records.length;
  return (
    <Card component="section" aria-labelledby="recipients">
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} size="h4" id="recipients">
            {texts.title}
          </Title>
          <UploadButton maxMb={FILE_MAX_MB} onRead={(file) => onText(file.text)} />
        </Group>
        <Textarea
          label={texts.source}
          description={texts.sourceHint(formatCount(ROWS_MAX))}
          placeholder={"name,phone\nAnn,+14155550123"}
          rows={7}
          resize="vertical"
          spellCheck={false}
          value={text}
          onChange={(event) => onText(event.currentTarget.value)}
        />
        <Group justify="space-between" align="flex-end">
          <Text size="sm" c={lines > ROWS_MAX ? "var(--mantine-color-error)" : "dimmed"} role="status">
            {lines > ROWS_MAX
              ? texts.tooMany(formatCount(lines), formatCount(ROWS_MAX))
              : texts.read(lines, formatCount(lines))}
          </Text>
          {list.columns.length > 0 && (
            <NativeSelect
              label={texts.numberColumn}
              value={String(column)}
              onChange={(event) => onColumn(Number(event.currentTarget.value))}
              data={list.columns.map((name, at) => ({ value: String(at), label: name }))}
            />
          )}
        </Group>
      </Stack>
    </Card>
  );
}
