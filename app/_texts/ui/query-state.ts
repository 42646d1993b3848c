import { defineTexts } from "../define-texts";

const en = {
  outOfDate: "This may be out of date: refreshing failed",
  notLoaded: "This could not be loaded",
  loading: "Loading",
};

/** The texts of what is being loaded. */
export const queryStateTexts = defineTexts({ en });
