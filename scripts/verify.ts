/** What can be checked in a minute or two, without a database, a build or a browser: `npm run verify`. */
import { RULE_TESTS, runChecks, SOURCE_CHECKS } from "./checks";

await runChecks([...SOURCE_CHECKS, RULE_TESTS]);
