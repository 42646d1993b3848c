import { OneTimeSecret } from "@/app/_ui/forms/one-time-secret";
import type { CreatedApiKey } from "@/server/api-keys/schema";

/** A key that was just made, to be copied. */
export function NewKey({ created, onDone }: { created: CreatedApiKey; onDone: () => void }) {
  return (
    <OneTimeSecret
      title="Copy the key now"
      warning={created.plain_key_notice}
      label={`Key “${created.name}”`}
      value={created.plain_key}
      onDone={onDone}
    />
  );
}
