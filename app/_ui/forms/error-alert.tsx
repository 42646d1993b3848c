import { Button, Stack, Text } from "@mantine/core";
import { Problem } from "../problem";
import { apiErrorOf } from "./api-error";

/** Shows the API's message of a failed call. Renders nothing without an error. */
export function ErrorAlert({
  error,
  title = "The request failed",
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
            Try again
          </Button>
        )}
      </Stack>
    </Problem>
  );
}
