import { defineTexts } from "./define-texts";

const en = {
  cancel: "Cancel",
  save: "Save",
  saveChanges: "Save changes",
  delete: "Delete",
  edit: "Edit",
  close: "Close",
  optional: "Optional",
  none: "None",
  created: "Created",
  status: "Status",
  inNewTab: "(new tab)",
};

/** Words that many pages have in common. */
export const sharedTexts = defineTexts({ en });
