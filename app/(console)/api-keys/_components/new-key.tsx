import { Button, Group, Stack } from "@mantine/core";
import { Notice } from "@/app/_ui/notice";
import { SecretValue } from "@/app/_ui/values/secret-value";
import type { CreatedApiKey } from "@/server/api-keys/schema";

/** A key that was just made, to be copied. */
export function NewKey({ created, onDone }: { created: CreatedApiKey; onDone: () => void }) {
  return (
    <Stack gap="md">
      <Notice title="Copy the key now">{created.plain_key_notice}</Notice>
      <SecretValue label={`Key “${created.name}”`} value={created.plain_key} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          I have copied it
        </Button>
      </Group>
    </Stack>
  );
}
