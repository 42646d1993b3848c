import { Box, Button, Text } from "@mantine/core";
import { accountTexts } from "@/app/_texts/operator/account";
import { Notice } from "@/app/_ui/notice";
import { formatCount } from "@/app/_ui/values/count";
import { countryNameOrCode } from "@/app/_ui/values/country-name";
import type { OperatedAccountDetail } from "@/server/operator/account-schema";

/** Traffic of an account that an alert is raised for, and what its operator can do. Nothing without any. */
export function UnusualTraffic({
  traffic,
  onLimit,
}: {
  traffic: OperatedAccountDetail["unusual_traffic"];
  onLimit: () => void;
}) {
  const texts = accountTexts.unusualTraffic;
  if (traffic.length === 0) return null;
  return (
    <Box mb="lg">
      <Notice title={texts.title}>
        {traffic.map(({ country, messages, highest_before: highest }) => (
          <Text size="sm" key={country}>
            {texts.text(
              country === null ? texts.unknownCountry : countryNameOrCode(country),
              formatCount(messages),
              formatCount(highest),
            )}
          </Text>
        ))}
        <Text size="sm" mt="xs" mb="sm">
          {texts.advice}
        </Text>
        <Button size="xs" variant="default" onClick={onLimit}>
          {texts.setLimits}
        </Button>
      </Notice>
    </Box>
  );
}
