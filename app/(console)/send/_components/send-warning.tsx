import { Alert, Text } from "@mantine/core";
import { sendTexts } from "@/app/_texts/send/one";
import { LinkBeside } from "@/app/_ui/frame/link-beside";
import { IconCircleX } from "@/app/_ui/icons/icons";
import { Notice } from "@/app/_ui/notice";
import type { Quote } from "./cost-card";

/** Warns of an unwanted outcome if the message is sent as it is now. */
export function SendWarning({ quote }: { quote: Quote | undefined }) {
  if (!quote) return null;
  const texts = sendTexts.warning;
  const [refusal] = quote.refusals;
  const failure = quote.recipients[0]?.refusal;
  if (refusal) {
    return (
      <Alert
        color="red"
        variant="light"
        icon={<IconCircleX aria-hidden />}
        title={quote.sufficient ? texts.refused : texts.notCovered}
      >
        <Text size="sm">{quote.sufficient ? refusal.message : texts.askForCredit}</Text>
      </Alert>
    );
  }
  if (failure) {
    return (
      <Notice title={texts.fails}>
        <Text size="sm">
          {texts.notCharged(failure.message)}
          {failure.code === "blocklisted" && (
            <>
              {" "}
              <LinkBeside href={`/suppressions?number=${encodeURIComponent(quote.recipients[0]?.to ?? "")}`}>
                {texts.viewSuppression}
              </LinkBeside>
            </>
          )}
        </Text>
      </Notice>
    );
  }
  if (!quote.is_in_numbering_plan) {
    return (
      <Notice title={texts.checkNumber}>
        <Text size="sm">{texts.notInPlan}</Text>
      </Notice>
    );
  }
  return null;
}
