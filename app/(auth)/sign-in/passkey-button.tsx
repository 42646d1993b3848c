import { Button } from "@mantine/core";
import { IconFingerprint } from "@/app/_ui/icons/icons";

/** Uses a passkey instead of what the form asks for, without submitting it. */
export function PasskeyButton({
  label,
  busy,
  isFocused = false,
  onUse,
}: {
  label: string;
  busy: boolean;
  /** Whether it takes the focus when it appears. */
  isFocused?: boolean;
  onUse: () => void;
}) {
  return (
    <Button
      variant="default"
      fullWidth
      leftSection={<IconFingerprint size={18} aria-hidden />}
      loading={busy}
      autoFocus={isFocused}
      onClick={onUse}
    >
      {label}
    </Button>
  );
}
