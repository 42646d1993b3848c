import { Button, Code, Group, Progress, Stack, Text } from "@mantine/core";
import { formatCount } from "@/app/_ui/values/count";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { nonGsmCharacters, type Segmentation, segmentText } from "@/server/messages/segments";
import { toGsmPunctuation } from "@/server/messages/smart-encoding";

const CHARACTERS_NAMED = 12;

/** Encoding and segments of the text, the units left in the last segment, and the characters that force UCS-2. */
export function SegmentMeter({
  body,
  segmentation,
  onReplace,
}: {
  body: string;
  segmentation: Segmentation;
  /** Takes the text with its typographic punctuation replaced; absent: that is not offered. */
  onReplace?: (body: string) => void;
}) {
  const { encoding, segments, unitsPerSegment, unitsLeft } = segmentation;
  const used = unitsPerSegment - unitsLeft;
  return (
    <Stack gap={6} data-testid="segment-meter">
      <Progress value={(used / unitsPerSegment) * 100} size="sm" aria-label="Share of the last segment used" />
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <StatusBadge tone={encoding === "GSM-7" ? "success" : "warning"}>{encoding}</StatusBadge>
          <Text size="sm" className="tabular">
            {formatCount([...body].length)} {body.length === 1 ? "character" : "characters"} ·{" "}
            {body === "" ? "0 segments" : `${segments} ${segments === 1 ? "segment" : "segments"}`}
          </Text>
        </Group>
        <Text size="sm" c="dimmed" className="tabular">
          {unitsLeft} of {unitsPerSegment} left in this segment
        </Text>
      </Group>
      {encoding === "UCS-2" && <NonGsmCharacters body={body} />}
      {encoding === "UCS-2" && onReplace && <ReplaceButton body={body} segments={segments} onReplace={onReplace} />}
    </Stack>
  );
}

/** Offers to replace curly quotes, dashes and unusual spaces by plain ones, when there are any. */
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
        Replace typographic punctuation
      </Button>
      {saved > 0 && (
        <Text size="sm" c="dimmed">
          Saves {formatCount(saved)} {saved === 1 ? "segment" : "segments"}
        </Text>
      )}
    </Group>
  );
}

/** Lists the characters that GSM-7 lacks, each once, in text order. */
function NonGsmCharacters({ body }: { body: string }) {
  const found = new Map(nonGsmCharacters(body).map(({ character, codePoint }) => [codePoint, character]));
  const named = [...found].slice(0, CHARACTERS_NAMED);
  const more = found.size - named.length;
  return (
    <Stack gap={6}>
      <Text size="sm" c="dimmed">
        {found.size === 1 ? "This character is" : "These characters are"} outside the GSM-7 alphabet, so the whole text
        is sent as UCS-2, with fewer characters per segment:
      </Text>
      <Group gap={6}>
        {named.map(([codePoint, character]) => (
          <Code key={codePoint} fz="sm">
            {isVisible(character) ? `${character} ` : ""}
            {unicodeName(codePoint)}
          </Code>
        ))}
        {more > 0 && (
          <Text size="sm" c="dimmed">
            and {formatCount(more)} more
          </Text>
        )}
      </Group>
    </Stack>
  );
}

/** Control characters, unusual spaces, joiners and lone surrogates would render as nothing or as a box. */
const isVisible = (character: string) => !/^[\p{C}\p{Z}\p{M}]$/u.test(character);

const unicodeName = (codePoint: number) => `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
