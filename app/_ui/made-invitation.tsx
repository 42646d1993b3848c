import { Button, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { teamTexts } from "@/app/_texts/settings/team";
import { formsTexts } from "@/app/_texts/ui/forms";
import { SecretValue } from "@/app/_ui/values/secret-value";
import type { CreatedInvitation } from "@/server/members/schema";

/** Says that the invited person gets an email, or shows the link for them, once. `more`: further buttons. */
export function MadeInvitation({
  invitation: { email, link },
  onDone,
  more,
}: {
  invitation: CreatedInvitation;
  onDone: () => void;
  more?: ReactNode;
}) {
  const texts = teamTexts.invited;
  return (
    <Stack gap="md">
      {link === null ? (
        <Text size="sm" className="break-word">
          {texts.mailed(email)}
        </Text>
      ) : (
        <>
          <Text size="sm" className="break-word">
            {texts.sendLink(email)}
          </Text>
          <SecretValue label={texts.link} value={link} />
        </>
      )}
      <Group className="dialog-foot" justify="flex-end" gap="sm">
        {more}
        <Button variant="default" onClick={onDone}>
          {link === null ? texts.done : formsTexts.secretCopied}
        </Button>
      </Group>
    </Stack>
  );
}
