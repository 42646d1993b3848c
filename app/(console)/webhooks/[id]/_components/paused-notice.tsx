import { Anchor, Box, Button, Stack, Text } from "@mantine/core";
import { IfMayChange } from "@/app/_shell/may-change";
import { endpointTexts as texts } from "@/app/_texts/webhooks/endpoint";
import { trpc } from "@/app/_trpc/client";
import { PageLink } from "@/app/_ui/frame/page-link";
import { IconPlayerPlay } from "@/app/_ui/icons/icons";
import { Notice } from "@/app/_ui/notice";
import { Time } from "@/app/_ui/values/time";
import type { WebhookEndpoint } from "@/server/webhooks/schema";

/** Says since when a paused endpoint is paused, and by whom, and resumes it. */
export function PausedNotice({
  endpoint,
  isResuming,
  onResume,
}: {
  endpoint: WebhookEndpoint;
  isResuming: boolean;
  onResume: () => void;
}) {
  return (
    <Box mb="lg">
      <Notice title={texts.isPaused}>
        <Stack gap="sm" align="flex-start">
          <Text size="sm" component="div" className="break-word">
            {texts.pausedBy(<Time value={endpoint.paused_at} />, <PausedBy id={endpoint.paused_by ?? ""} />)}
          </Text>
          <IfMayChange>
            <Button size="xs" leftSection={<IconPlayerPlay size={16} />} loading={isResuming} onClick={onResume}>
              {texts.resume}
            </Button>
          </IfMayChange>
        </Stack>
      </Notice>
    </Box>
  );
}

/** An API key by its name, or a person by their email. */
function PausedBy({ id }: { id: string }) {
  const isKey = id.startsWith("key_");
  const keys = trpc.apiKeys.list.useQuery(undefined, { enabled: isKey });
  const members = trpc.members.list.useQuery(undefined, { enabled: !isKey });
  if (isKey) {
    return (
      <Anchor component={PageLink} href={`/api-keys/${id}`} inherit underline="always" dir="auto">
        {keys.data?.data.find((key) => key.id === id)?.name ?? id}
      </Anchor>
    );
  }
  if (!members.data) return "…";
  return members.data.find((member) => member.id === id)?.email ?? texts.formerMember;
}
