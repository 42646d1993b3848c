/** A table of a test's own, to see what was committed. */
import { pool } from "@/server/core/db";

/** Makes the table `notes`, whose only column is the text `id`. */
export const makeNotes = (): Promise<unknown> => pool().query("CREATE TABLE notes (id text PRIMARY KEY)");

/** The committed notes that begin with `prefix`, sorted. */
export async function notes(prefix: string): Promise<string[]> {
  const { rows } = await pool().query<{ id: string }>("SELECT id FROM notes WHERE id LIKE $1 || '%' ORDER BY id", [
    prefix,
  ]);
  return rows.map(({ id }) => id);
}
