/** `npm test`: every check. */
import { BUILD, END_TO_END_TESTS, runChecks, SHORT_PROOF, SOURCE_CHECKS, UNIT_AND_DATABASE_TESTS } from "./checks";

await runChecks([SOURCE_CHECKS, UNIT_AND_DATABASE_TESTS, BUILD, END_TO_END_TESTS, SHORT_PROOF]);
