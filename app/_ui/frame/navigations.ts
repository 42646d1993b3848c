type Listener = () => void;

const listeners = new Set<Listener>();

/**
 * The router reports each navigation that begins: a link, `router.push` or going back, but not a change of the query by a filter.
 */
export function navigationStarts(): void {
  for (const listener of listeners) listener();
}

/**
 * Calls `listener` whenever a navigation begins. The address alone does not show all of them: one to the address that is
 * rendered, over a change of the address that is not, changes nothing that a component sees.
 * @returns ends it.
 */
export function onNavigationStart(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
