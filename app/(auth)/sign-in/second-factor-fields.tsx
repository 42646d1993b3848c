import { Stack, Text, TextInput, type TextInputProps } from "@mantine/core";
import { credentialsTexts as texts } from "@/app/_texts/auth/credentials";
import { SECOND_FACTOR_REQUIRED, type WantedFactor } from "@/server/auth/sign-in/wanted-factor";
import { PasskeyButton } from "./passkey-button";

/**
 * The second factor that a sign-in asks for: a field for a code of the app or a recovery code, and a passkey. The focus moves here,
 * because it appears only when it is asked for.
 */
export function SecondFactorFields({
  wanted,
  passkey,
  ...field
}: TextInputProps & {
  wanted: WantedFactor;
  /** Null where the browser uses no passkeys. */
  passkey: { busy: boolean; onUse: () => void } | null;
}) {
  const hasApp = wanted !== "passkey";
  const button = hasApp ? null : passkey;
  return (
    <Stack gap="md">
      {wanted !== "app" && <Text size="sm">{SECOND_FACTOR_REQUIRED[wanted]}</Text>}
      {wanted !== "app" && passkey && (
        <PasskeyButton label={texts.usePasskey} isFocused={button !== null} {...passkey} />
      )}
      <TextInput
        label={texts.code}
        description={hasApp ? texts.codeHint : texts.recoveryHint}
        autoComplete="one-time-code"
        autoFocus={button === null}
        required
        withAsterisk={false}
        {...field}
      />
    </Stack>
  );
}
