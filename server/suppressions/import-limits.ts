/** Limits of an import. Apart from its schema, so that the page need not load a validator for them. */

/** Numbers of one call; a longer list takes several. */
export const IMPORT_MAX = 10_000;
/** Refused numbers that a response names; all of them are counted. */
export const REFUSALS_MAX = 100;
