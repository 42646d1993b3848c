/** Tests that processes of the previous version and of this one can share the table of providers, with different names for two columns. */
import { expect, test } from "vitest";
import { pool } from "../../core/db";

const read = async (id: string) => {
  const { rows } = await pool().query(
    `SELECT alarm, last_error, held_since IS NOT NULL AS held, unavailable_since IS NOT NULL AS unavailable,
       held_since IS NOT DISTINCT FROM unavailable_since AS "isOneTime" FROM providers WHERE id = $1`,
    [id],
  );
  return rows[0];
};

const open = (id: string, error: string, since: string) =>
  pool().query(
    `INSERT INTO providers AS p (id, breaker, ${error}, ${since}) VALUES ($1, 'open', $2, now())
     ON CONFLICT (id) DO UPDATE SET breaker = 'open', ${error} = excluded.${error}, ${since} = excluded.${since}`,
    [id, `as ${error}`],
  );

const close = (id: string, error: string, since: string) =>
  pool().query(`UPDATE providers SET breaker = 'closed', ${error} = NULL, ${since} = NULL WHERE id = $1`, [id]);

type Names = readonly [error: string, since: string];
const BEFORE: Names = ["alarm", "held_since"];
const NOW: Names = ["last_error", "unavailable_since"];

test.each([
  { name: "the version before opens a breaker and this one closes it", opens: BEFORE, closes: NOW },
  { name: "this version opens a breaker and the one before closes it", opens: NOW, closes: BEFORE },
])("$name: both see both", async ({ name, opens, closes }) => {
  for (const round of ["a new row", "an existing row"]) {
    await open(name, ...opens);
    const [error] = opens;
    const text = `as ${error}`;
    const seen = { alarm: text, last_error: text, held: true, unavailable: true, isOneTime: true };
    expect(await read(name), round).toEqual(seen);
    await pool().query("UPDATE providers SET health = 0.5 WHERE id = $1", [name]);
    expect(await read(name), round).toEqual(seen);
    await close(name, ...closes);
    expect(await read(name), round).toEqual({
      alarm: null,
      last_error: null,
      held: false,
      unavailable: false,
      isOneTime: true,
    });
  }
});

test("a breaker that the other version opens with another error has that error in both", async () => {
  await open("again", ...BEFORE);
  await open("again", ...NOW);
  expect(await read("again")).toMatchObject({ alarm: "as last_error", last_error: "as last_error" });
  await open("again", ...BEFORE);
  expect(await read("again")).toMatchObject({ alarm: "as alarm", last_error: "as alarm" });
});
