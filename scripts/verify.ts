/** `npm run verify`: the checks that need no database, build or browser. */
import { RULE_TESTS, runChecks, SOURCE_CHECKS } from "./checks";

await runChecks([SOURCE_CHECKS, RULE_TESTS]);
