/**
 * How a database's migrations compare with those that this code knows. A migration that removes something the previous version
 * still uses has a name that begins with `contract_`; processes of that version refuse such a database. Any other unknown
 * migration does not stop them, so an upgrade needs no downtime.
 */

/** A row of `_prisma_migrations`. */
export type AppliedMigration = { name: string; isFinished: boolean };

export type MigrationState = {
  applied: string[];
  /** Known but not applied. */
  pending: string[];
  /** Applied but unknown, and harmless: a newer version has added something. */
  newer: string[];
  /** Applied but unknown, and incompatible with this version. */
  tooNew: string[];
  /** Begun and not finished, known or not: under way, or ended half-way. */
  broken: string[];
};

const CONTRACTS = /^\d+_contract_/;

/** Compares the names of the known migrations with the rows of the database. */
export function compareMigrations(known: readonly string[], rows: readonly AppliedMigration[]): MigrationState {
  const finished = rows.filter(({ isFinished }) => isFinished).map(({ name }) => name);
  const unknown = finished.filter((name) => !known.includes(name));
  return {
    applied: known.filter((name) => finished.includes(name)),
    pending: known.filter((name) => !finished.includes(name)),
    newer: unknown.filter((name) => !CONTRACTS.test(name)),
    tooNew: unknown.filter((name) => CONTRACTS.test(name)),
    broken: rows.filter(({ name, isFinished }) => !isFinished && !finished.includes(name)).map(({ name }) => name),
  };
}

/** An error line about a database that is too new; null when it is not. */
export function tooNewLine({ tooNew }: MigrationState): string | null {
  if (tooNew.length === 0) return null;
  return `The database is newer than this version of the service: it has ${tooNew.join(", ")}. Start the version that brought it.`;
}
