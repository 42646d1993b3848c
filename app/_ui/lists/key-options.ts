type NamedKey = { id: string; name: string; key_hint: string };

/** Choices of API keys. Keys with the same name, as after a rotation or from a program that makes many, also show their hints. */
export function keyOptions(keys: readonly NamedKey[]): { value: string; label: string }[] {
  const counts = new Map<string, number>();
  for (const { name } of keys) counts.set(name, (counts.get(name) ?? 0) + 1);
  return keys.map(({ id, name, key_hint: hint }) => ({
    value: id,
    label: (counts.get(name) ?? 0) > 1 ? `${name} (${hint})` : name,
  }));
}
