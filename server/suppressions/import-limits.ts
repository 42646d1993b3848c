/** Limits of an import, in a separate file from its schema so that the page need not load a validator. */

/** Numbers per call; a longer list takes several calls. */
export const IMPORT_MAX = 10_000;
/** Refused numbers listed in a response; all of them are counted. */
export const REFUSALS_MAX = 100;
