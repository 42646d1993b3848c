import { Box, Code } from "@mantine/core";
import { CopyButton } from "./copy-button";

/** Preformatted text with a copy button, scrolling beyond `maxHeight` pixels. */
export function CodeBlock({
  value,
  copyLabel,
  maxHeight = 420,
}: {
  value: string;
  copyLabel: string;
  maxHeight?: number;
}) {
  return (
    <Box pos="relative">
      <Code
        block
        // It scrolls, so the keyboard must reach it.
        tabIndex={0}
        mah={maxHeight}
        style={{ overflow: "auto", whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}
        pr={44}
      >
        {value}
      </Code>
      <Box pos="absolute" top={6} right={6}>
        <CopyButton value={value} label={copyLabel} />
      </Box>
    </Box>
  );
}
