/** A mutation whose result is a secret that is shown once; a tRPC mutation is one. */
type Creation = { data: unknown; isPending: boolean; reset: () => void };

/** Props of a dialog that creates a secret and then shows it. They keep it from being lost by accident. */
export const secretDialog = (creation: Creation, close: () => void) => ({
  // Closing while the secret is being created would lose it.
  onClose: () => {
    if (!creation.isPending) close();
  },
  // Reset only once the dialog is hidden: earlier it would switch back to its first content while it fades out.
  onExitTransitionEnd: creation.reset,
  // The secret is never shown again, so a stray click must not close the dialog. Escape and the cross ask: see `Dialog`.
  closeOnClickOutside: false,
});
