/** Presses of Escape that a dialog has answered. Every dialog listens at the window; only the topmost one may react. */
export const answeredEscapes = new WeakSet<KeyboardEvent>();
