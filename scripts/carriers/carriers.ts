/**
 * Prints which parts of the carriers' adapters were compared with the vendor's documentation, and when.
 *
 *   npm run carriers
 *   npm run carriers -- --sdks [folder]   compares the adapters with the vendors' own libraries, which are installed into the
 *                                         folder, or into a temporary one; exits 1 when they differ
 */
import { VENDOR_CHECKS } from "../../server/providers/adapters/checked";
import { checkLibraries } from "../vendor-libraries/check";
import { carrierTable } from "./carrier-table";

const [mode, folder] = process.argv.slice(2);
if (mode === "--sdks") process.exit((await checkLibraries(folder)) ? 0 : 1);
console.log(carrierTable(VENDOR_CHECKS));
