"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { sendingLimitsTexts } from "@/app/_texts/settings/sending-limits";
import { trpc } from "@/app/_trpc/client";
import { formatCount } from "@/app/_ui/values/count";
import { countryNameOrCode } from "@/app/_ui/values/country-name";
import { usualCountries } from "./country-rule";

const NAMED_MAX = 12;

/** The countries of the last days with their messages, and a button that chooses the usual ones. Nothing without any. */
export function SentCountriesNote({
  removed,
  isAllowed,
  onChoose,
}: {
  removed: string | null;
  /** Whether the operator allows a country. */
  isAllowed: (country: string) => boolean;
  onChoose: (countries: string[]) => void;
}) {
  const texts = sendingLimitsTexts.sent;
  const { data: sent = [] } = trpc.overview.sentCountries.useQuery();
  const usual = usualCountries(sent, removed).filter(isAllowed);
  if (sent.length === 0) return null;
  const nameOf = (country: string | null) => (country === null ? texts.unknownCountry : countryNameOrCode(country));
  const named = sent
    .slice(0, NAMED_MAX)
    .map(({ country, messages, is_unusual }) =>
      (is_unusual ? texts.unusual : texts.usual)(nameOf(country), formatCount(messages)),
    );
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {texts.lastDays(named.join(", "), sent.length - named.length)}
      </Text>
      {usual.length > 0 && (
        <Group>
          <Button size="xs" variant="default" onClick={() => onChoose(usual)}>
            {texts.chooseUsual(usual.length, nameOf(usual[0] ?? null))}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
