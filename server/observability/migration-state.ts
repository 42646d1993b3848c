/**
 * How a database's migrations compare with those that this code knows. A migration that takes away something that the
 * version before still uses has a name that begins with `contract_`: processes of that version refuse such a database. With
 * any other migration that they do not know they go on working, so that an upgrade needs no stop.
 */

/** A row of `_prisma_migrations`. */
export type AppliedMigration = { name: string; isFinished: boolean };

export type MigrationState = {
  applied: string[];
  /** Known and not applied. */
  pending: string[];
  /** Applied and not known, but harmless: a newer version has widened the database. */
  newer: string[];
  /** Applied and not known, and no longer fit for this version. */
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

/** One line for people about a database that is too new; null when it is not. */
export function tooNewLine({ tooNew }: MigrationState): string | null {
  if (tooNew.length === 0) return null;
  return `The database is newer than this version of the service: it has ${tooNew.join(", ")}. Start the version that brought it.`;
}
