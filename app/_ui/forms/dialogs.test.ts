import { expect, it, vi } from "vitest";
import { closeDialog, dialogStore, dropDialog, openDialog } from "./dialogs";

const open = () =>
  dialogStore
    .read()
    .filter((dialog) => dialog.isOpen)
    .map(({ title }) => title);

it("keeps a dialog until it has faded out, and reports once that it was closed", () => {
  const onClose = vi.fn();
  const changed = vi.fn();
  const leave = dialogStore.subscribe(changed);
  const closeFirst = openDialog({ title: "First", content: () => null, onClose });
  openDialog({ title: "Second", content: () => null });
  expect(open()).toEqual(["First", "Second"]);
  closeFirst();
  closeFirst();
  expect(onClose).toHaveBeenCalledTimes(1);
  expect(open()).toEqual(["Second"]);
  expect(dialogStore.read()).toHaveLength(2);
  for (const { id } of dialogStore.read()) {
    closeDialog(id);
    dropDialog(id);
  }
  expect(dialogStore.read()).toEqual([]);
  expect(changed).toHaveBeenCalled();
  leave();
});

it("gives the content a way to close its dialog", () => {
  let close = () => {};
  openDialog({
    title: "With a button",
    content: (closing) => {
      close = closing;
      return null;
    },
  });
  expect(open()).toEqual(["With a button"]);
  close();
  expect(open()).toEqual([]);
});
