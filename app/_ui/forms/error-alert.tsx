import { Button, Stack, Text } from "@mantine/core";
import { appTexts } from "@/app/_texts/app";
import { Problem } from "../problem";
import { apiErrorOf } from "./api-error";

/** Shows the API's message of a failed call. Renders nothing without an error. */
export function ErrorAlert({
  error,
  title = appTexts.requestFailed,
  onRetry,
}: {
  error: unknown;
  title?: string;
  onRetry?: () => void;
}) {
  if (!error) return null;
  return (
    <Problem title={title}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{apiErrorOf(error).message}</Text>
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {appTexts.tryAgain}
          </Button>
        )}
      </Stack>
    </Problem>
  );
}
