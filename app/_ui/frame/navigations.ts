type Listener = () => void;

const listeners = new Set<Listener>();

/**
 * Called when a navigation starts, as the router reports it: a link, `router.push` or going back, but not a filter that changes
 * the query.
 */
export function navigationStarts(): void {
  for (const listener of listeners) listener();
}

/**
 * Calls `listener` whenever a navigation starts. The address alone does not show all of them: a navigation to the rendered address,
 * while a later change of the address is not rendered yet, changes nothing that a component sees.
 * @returns a function that ends this.
 */
export function onNavigationStart(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
