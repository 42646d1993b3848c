import { Anchor, Box, Group, Stack, Text, Title, Typography } from "@mantine/core";
import type { Metadata } from "next";
import { docsTexts as texts } from "@/app/_texts/docs";
import { GUIDES } from "@/server/api/document/guides";
import { hrefOf } from "../_guides/list";
import { Markdown } from "../_guides/markdown";
import { readGuide } from "../_guides/read-guide";

type Props = { params: Promise<{ guide: string }> };

// Guides are rendered at build time, so docs/ need not exist at run time.
export const dynamic = "force-static";
export const dynamicParams = false;

export const generateStaticParams = () => GUIDES.map(({ slug }) => ({ guide: slug }));

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await readGuide((await params).guide)).title };
}

export default async function GuidePage({ params }: Props) {
  const { guide } = await params;
  const { title, tokens, sections } = await readGuide(guide);
  return (
    <Group align="flex-start" gap="xl" wrap="nowrap">
      <Box flex={1} miw={0} maw={780} component="article">
        <Group justify="space-between" align="baseline" gap="xs" mb="lg">
          <Title order={1}>{title}</Title>
          <Anchor href={`${hrefOf(guide)}.md`} size="sm" c="dimmed">
            {texts.viewAsMarkdown}
          </Anchor>
        </Group>
        <Typography className="guide">
          <Markdown tokens={tokens} />
        </Typography>
      </Box>
      {sections.length > 1 && (
        <Stack
          component="nav"
          aria-label={texts.onThisPage}
          gap={6}
          w={200}
          visibleFrom="lg"
          className="guide-sections"
        >
          <Text size="xs" fw={600} c="dimmed">
            {texts.onThisPage}
          </Text>
          {sections.map(({ id, text }) => (
            <Anchor key={id} href={`#${id}`} size="sm" c="dimmed">
              {text}
            </Anchor>
          ))}
        </Stack>
      )}
    </Group>
  );
}
