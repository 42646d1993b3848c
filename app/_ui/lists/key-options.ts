type NamedKey = { id: string; name: string; key_hint: string };

/** Choices of API keys. Of keys with one name, which a rotation or a program that makes many leaves, each has its hint as well. */
export function keyOptions(keys: readonly NamedKey[]): { value: string; label: string }[] {
  const counts = new Map<string, number>();
  for (const { name } of keys) counts.set(name, (counts.get(name) ?? 0) + 1);
  return keys.map(({ id, name, key_hint: hint }) => ({
    value: id,
    label: (counts.get(name) ?? 0) > 1 ? `${name} (${hint})` : name,
  }));
}
