"use client";

import { Card, Group, NativeSelect, Stack, Text, Textarea, Title } from "@mantine/core";
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
  return (
    <Card component="section" aria-labelledby="recipients">
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} size="h4" id="recipients">
            Recipients
          </Title>
          <UploadButton maxMb={FILE_MAX_MB} onRead={(file) => onText(file.text)} />
        </Group>
        <Textarea
          label="Numbers or table"
          description={`One number per line, or a table with a heading. Up to ${formatCount(ROWS_MAX)} recipients.`}
          placeholder={"name,phone\nAnn,+14155550123"}
          rows={7}
          resize="vertical"
          spellCheck={false}
          value={text}
          onChange={(event) => onText(event.currentTarget.value)}
        />
        <Group justify="space-between" align="flex-end">
          <Text size="sm" c={list.records.length > ROWS_MAX ? "var(--mantine-color-error)" : "dimmed"} role="status">
            {list.records.length > ROWS_MAX
              ? `${formatCount(list.records.length)} lines are too many: send at most ${formatCount(ROWS_MAX)} at once.`
              : `${formatCount(list.records.length)} ${list.records.length === 1 ? "line" : "lines"} read`}
          </Text>
          {list.columns.length > 0 && (
            <NativeSelect
              label="Column of the numbers"
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
