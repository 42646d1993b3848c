import { Button, Code, Group, Progress, Stack, Text } from "@mantine/core";
import { segmentMeterTexts as texts } from "@/app/_texts/send/segment-meter";
import { formatCount } from "@/app/_ui/values/count";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { type Segmentation, segmentText } from "@/server/messages/segments";
import { gsmSubstituteFor, toGsmPunctuation } from "@/server/messages/smart-encoding";
import { foundCharacters } from "./found-characters";

const CHARACTERS_NAMED = 12;

type Actions = {
  /** Receives the text with characters replaced; without it, replacing is not offered. */
  onReplace?: (body: string) => void;
  /** Selects a part of the text in its field, by UTF-16 code units. */
  onShow?: (index: number, length: number) => void;
};

/** Encoding and segments of the text, the units left in the last segment, and the characters that force UCS-2. */
export function SegmentMeter({
  body,
  segmentation,
  ...actions
}: { body: string; segmentation: Segmentation } & Actions) {
  const { onReplace } = actions;
  const { encoding, segments, unitsPerSegment, unitsLeft } = segmentation;
  const used = unitsPerSegment - unitsLeft;
  return (
    <Stack gap={6} data-testid="segment-meter">
      <Progress value={(used / unitsPerSegment) * 100} size="sm" aria-label={texts.shareUsed} />
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <StatusBadge tone={encoding === "GSM-7" ? "success" : "warning"}>{encoding}</StatusBadge>
          <Text size="sm" className="tabular">
            {texts.characters([...body].length, formatCount([...body].length))} ·{" "}
            {texts.segments(body === "" ? 0 : segments)}
          </Text>
        </Group>
        <Text size="sm" c="dimmed" className="tabular">
          {texts.left(unitsLeft, unitsPerSegment)}
        </Text>
      </Group>
      {encoding === "UCS-2" && <NonGsmCharacters body={body} {...actions} />}
      {encoding === "UCS-2" && onReplace && <ReplaceButton body={body} segments={segments} onReplace={onReplace} />}
    </Stack>
  );
}

/** Offers to replace curly quotes, dashes and unusual spaces with plain ones, when there are any. */
function ReplaceButton({
  body,
  segments,
  onReplace,
}: {
  body: string;
  segments: number;
  onReplace: (body: string) => void;
}) {
  const replaced = toGsmPunctuation(body).body;
  if (replaced === body) return null;
  const saved = segments - segmentText(replaced).segments;
  return (
    <Group gap="xs">
      <Button size="compact-sm" variant="light" onClick={() => onReplace(replaced)}>
        {texts.replaceTypographic}
      </Button>
      {saved > 0 && (
        <Text size="sm" c="dimmed">
          {texts.saves(saved, formatCount(saved))}
        </Text>
      )}
    </Group>
  );
}

/** Lists the characters that GSM-7 lacks, each once, in text order: to replace one everywhere, or to find it in the text. */
function NonGsmCharacters({ body, onReplace, onShow }: { body: string } & Actions) {
  const found = foundCharacters(body);
  const named = found.slice(0, CHARACTERS_NAMED);
  const more = found.length - named.length;
  return (
    <Stack gap={6}>
      <Text size="sm" c="dimmed">
        {texts.outsideGsm(found.length)}
      </Text>
      <Group gap={6}>
        {named.map(({ text, index }) => {
          const substitute = gsmSubstituteFor(text);
          const name = nameOf(text, substitute !== null);
          if (onReplace && substitute !== null) {
            return (
              <CharacterButton key={text} onClick={() => onReplace(body.replaceAll(text, substitute))}>
                {texts.replace(name, substituteName(substitute))}
              </CharacterButton>
            );
          }
          if (!onShow) return <Code key={text}>{name}</Code>;
          return (
            <CharacterButton key={text} onClick={() => onShow(index, text.length)}>
              {texts.find(name)}
            </CharacterButton>
          );
        })}
        {more > 0 && (
          <Text size="sm" c="dimmed">
            {texts.more(formatCount(more))}
          </Text>
        )}
      </Group>
    </Stack>
  );
}

function CharacterButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Button size="compact-xs" variant="default" onClick={onClick}>
      {children}
    </Button>
  );
}

const substituteName = (substitute: string) =>
  ({ "": texts.nothing, " ": texts.space, "\n": texts.lineBreak })[substitute] ?? substitute;

/** Control characters, unusual spaces, joiners and lone surrogates would render as nothing or as a box. */
const isVisible = (character: string) => !/^[\p{C}\p{Z}\p{M}]$/u.test(character);

const unicodeName = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** The character and its code points; an emoji of many parts alone. A replaceable character may look like its substitute. */
function nameOf(text: string, isReplaceable: boolean): string {
  const parts = [...text];
  if (parts.length > 1 && !isReplaceable) return text;
  return [...(isVisible(text) ? [text] : []), ...parts.map(unicodeName)].join(" ");
}
