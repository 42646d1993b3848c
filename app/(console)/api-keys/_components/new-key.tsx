import { apiKeyActionsTexts as texts } from "@/app/_texts/api-keys/actions";
import { OneTimeSecret } from "@/app/_ui/forms/one-time-secret";
import { LinkBeside } from "@/app/_ui/frame/link-beside";
import type { CreatedApiKey } from "@/server/api-keys/schema";

/** A key that was just made, to be copied. */
export function NewKey({ created, onDone }: { created: CreatedApiKey; onDone: () => void }) {
  return (
    <OneTimeSecret
      title={texts.newKey.copyNow}
      warning={created.plain_key_notice}
      label={texts.newKey.label(created.name)}
      value={created.plain_key}
      notice={<LinkBeside href="/docs/quick-start">{texts.newKey.howToSend}</LinkBeside>}
      onDone={onDone}
    />
  );
}
