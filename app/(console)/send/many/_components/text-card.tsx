"use client";

import { Button, Card, Group, NativeSelect, Stack, Switch, Text, Textarea, Title } from "@mantine/core";
import { sendManyTexts } from "@/app/_texts/send/many";
import { Notice } from "@/app/_ui/notice";
import { fillIn } from "@/server/messages/placeholders";
import { segmentText } from "@/server/messages/segments";
import { SegmentMeter } from "../../_components/segment-meter";
import { almostPlaceholders, replaceAlmost } from "./almost-placeholders";
import type { Row } from "./batches";

export type BulkDraft = { from: string; body: string; smart: boolean };

/** The text with its placeholders, and what the first recipient gets. */
export function TextCard({
  draft,
  onChange,
  senderIds,
  columns,
  first,
}: {
  draft: BulkDraft;
  onChange: (change: Partial<BulkDraft>) => void;
  senderIds: string[];
  columns: string[];
  first: Row | undefined;
}) {
  const texts = sendManyTexts.text;
  const preview = first ? fillIn(draft.body, first.values).body : draft.body;
  return (
    <Card component="section" aria-labelledby="text">
      <Stack gap="md">
        <Title order={2} size="h4" id="text">
          {texts.title}
        </Title>
        <NativeSelect
          label={texts.from}
          data={senderIds}
          value={draft.from}
          onChange={(event) => onChange({ from: event.currentTarget.value })}
        />
        <Textarea
          label={texts.text}
          rows={5}
          dir="auto"
          resize="vertical"
          value={draft.body}
          onChange={(event) => onChange({ body: event.currentTarget.value })}
        />
        {columns.length > 0 && (
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              {texts.insert}
            </Text>
            {columns.map((name) => (
              <Button
                key={name}
                size="compact-xs"
                variant="light"
                onClick={() => onChange({ body: `${draft.body}{{${name}}}` })}
              >
                {`{{${name}}}`}
              </Button>
            ))}
          </Group>
        )}
        <AlmostNote body={draft.body} columns={columns} onChange={(body) => onChange({ body })} />
        <SegmentMeter body={preview} segmentation={segmentText(preview)} />
        <Switch
          label={texts.smart}
          description={texts.smartHint}
          checked={draft.smart}
          onChange={(event) => onChange({ smart: event.currentTarget.checked })}
        />
        {first && draft.body !== "" && (
          <div>
            <Text size="sm" fw={500} mb={6}>
              {first.number ? texts.messageTo(first.number) : texts.messageToFirst}
            </Text>
            <Text size="sm" className="phone-bubble" dir="auto">
              {preview}
            </Text>
          </div>
        )}
      </Stack>
    </Card>
  );
}

/** Warns of placeholders that are written in another program's way. */
function AlmostNote({
  body,
  columns,
  onChange,
}: {
  body: string;
  columns: readonly string[];
  onChange: (body: string) => void;
}) {
  const texts = sendManyTexts.text.almost;
  const found = almostPlaceholders(body, columns);
  if (found.length === 0) return null;
  return (
    <Notice title={texts.title(found.map(({ written }) => written))} role="alert">
      <Text size="sm">{texts.explanation}</Text>
      <Button variant="default" size="xs" mt="xs" onClick={() => onChange(replaceAlmost(body, found))}>
        {texts.replace([...new Set(found.map(({ meant }) => meant))].join(", "))}
      </Button>
    </Notice>
  );
}
