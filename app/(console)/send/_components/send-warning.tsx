import { Alert, Anchor, Text } from "@mantine/core";
import { SiteLink } from "@/app/_ui/frame/site-link";
import { IconCircleX } from "@/app/_ui/icons/icons";
import { Notice } from "@/app/_ui/notice";
import type { Quote } from "./cost-card";

/** Warns of an unwanted outcome if the message is sent as it is now. */
export function SendWarning({ quote }: { quote: Quote | undefined }) {
  if (!quote) return null;
  const [refusal] = quote.refusals;
  const failure = quote.recipients[0]?.refusal;
  if (refusal) {
    return (
      <Alert
        color="red"
        variant="light"
        icon={<IconCircleX aria-hidden />}
        title={quote.sufficient ? "This message would be refused" : "Your balance does not cover this message"}
      >
        <Text size="sm">
          {quote.sufficient ? refusal.message : "Ask the operator of this installation for credit, then send it."}
        </Text>
      </Alert>
    );
  }
  if (failure) {
    return (
      <Notice title="This message would fail at once">
        <Text size="sm">
          {failure.message} You would not be charged.
          {failure.code === "blocklisted" && (
            <>
              {" "}
              <Anchor
                component={SiteLink}
                underline="always"
                inherit
                href={`/suppressions?number=${encodeURIComponent(quote.recipients[0]?.to ?? "")}`}
              >
                View the suppression
              </Anchor>
            </>
          )}
        </Text>
      </Notice>
    );
  }
  if (!quote.is_in_numbering_plan) {
    return (
      <Notice title="Check the number">
        <Text size="sm">
          No country has such a number: its country code is not assigned, or digits are missing or too many. A message
          to it is charged, but hardly ever delivered.
        </Text>
      </Notice>
    );
  }
  return null;
}
