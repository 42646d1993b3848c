import { defineTexts, plural } from "./define-texts";

const en = {
  /** `shown`: the count of messages as it is written. */
  chart: (days: number, shown: string) =>
    plural(days, {
      one: `Messages by status on one day, ${shown} in all`,
      other: `Messages per day by status over ${days} days, ${shown} in all`,
    }),
};

/** The texts of the chart of messages per day. */
export const statusByDayTexts = defineTexts({ en });
