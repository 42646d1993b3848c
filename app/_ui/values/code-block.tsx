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
        // The keyboard must reach it, because it scrolls.
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
