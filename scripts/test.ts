/** `npm test`: every check. The proof mostly waits, so all other checks except the end-to-end tests use the CPU time that it leaves. */
import { BUILD, DATABASE_TESTS, END_TO_END_TESTS, RULE_TESTS, runChecks, SHORT_PROOF, SOURCE_CHECKS } from "./checks";

await runChecks([
  BUILD,
  { check: SHORT_PROOF, beside: [SOURCE_CHECKS, [DATABASE_TESTS, RULE_TESTS]] },
  END_TO_END_TESTS,
]);
