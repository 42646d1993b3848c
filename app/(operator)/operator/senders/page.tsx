import type { Metadata } from "next";
import { senderReviewTexts as texts } from "@/app/_texts/operator/senders";
import { ReviewView } from "./review-view";

export const generateMetadata = (): Metadata => ({ title: texts.title });

export default function ReviewPage() {
  return <ReviewView />;
}
