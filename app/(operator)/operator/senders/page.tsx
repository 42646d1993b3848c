import type { Metadata } from "next";
import { ReviewView } from "./review-view";

export const metadata: Metadata = { title: "Sender review" };

export default function ReviewPage() {
  return <ReviewView />;
}
