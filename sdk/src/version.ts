/** The version of this package; `npm run release` sets it with that of package.json. */
export const VERSION = "0.1.0";
