type Made = { id: string; created_by: string | null };

/** The keys that a key created, and those created with them, in the order of `keys`. */
export function descendantsOf<Key extends Made>(id: string, keys: readonly Key[]): Key[] {
  const line = new Set([id]);
  // A key is younger than the one that created it, so that one pass from the oldest finds all.
  for (const key of [...keys].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    if (key.created_by !== null && line.has(key.created_by)) line.add(key.id);
  }
  line.delete(id);
  return keys.filter((key) => line.has(key.id));
}
