/** `npm test`: every check. */
import { BUILD, DATABASE_TESTS, END_TO_END_TESTS, RULE_TESTS, runChecks, SHORT_PROOF, SOURCE_CHECKS } from "./checks";

await runChecks([SOURCE_CHECKS, RULE_TESTS, DATABASE_TESTS, BUILD, END_TO_END_TESTS, SHORT_PROOF]);
