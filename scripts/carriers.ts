/**
 * Prints which parts of the carriers' adapters were compared with the vendor's documentation, and when.
 *
 *   npm run carriers
 */
import { VENDOR_CHECKS } from "../server/providers/adapters/checked";
import { carrierTable } from "./carrier-table";

console.log(carrierTable(VENDOR_CHECKS));
